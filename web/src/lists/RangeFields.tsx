import { AmountInput } from '../components/AmountInput.tsx'
import { Field, Input } from '../components/Field.tsx'
import { type Range, rangeProblems } from '../lib/range.ts'

/** First and last day, least and greatest amount of a filter. */
export function RangeFields(props: { value: Range; onChange: (change: Partial<Record<keyof Range, string>>) => void }) {
  const { value, onChange } = props
  const { toProblem, maxProblem } = rangeProblems({ from: value.from, to: value.to, min: value.min, max: value.max })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Date from">
          {(control) => (
            <Input
              {...control}
              type="date"
              value={value.from ?? ''}
              onChange={(event) => onChange({ from: event.target.value })}
            />
          )}
        </Field>
        <Field label="Date to" error={toProblem}>
          {(control) => (
            <Input
              {...control}
              type="date"
              value={value.to ?? ''}
              onChange={(event) => onChange({ to: event.target.value })}
            />
          )}
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Minimum amount">
          {(control) => <AmountInput {...control} value={value.min ?? ''} onChange={(min) => onChange({ min })} />}
        </Field>
        <Field label="Maximum amount" error={maxProblem}>
          {(control) => <AmountInput {...control} value={value.max ?? ''} onChange={(max) => onChange({ max })} />}
        </Field>
      </div>
    </>
  )
}
