import { useState } from 'react'
import { AmountInput } from '../components/AmountInput.tsx'
import { Field, Input } from '../components/Field.tsx'
import { datePresets, type Range, rangeProblems } from './range.ts'

/** Fields for a filter's first and last day and its minimum and maximum amount. */
export function RangeFields(props: { value: Range; onChange: (change: Range) => void }) {
  const { value, onChange } = props
  const [presets] = useState(() => datePresets(new Date()))
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const { toProblem, maxProblem } = rangeProblems(value)
  return (
    <>
      <fieldset>
        <legend className="mb-1 font-medium text-small">Date</legend>
        <div className="mb-3 flex flex-wrap gap-2">
          {presets.map(({ label, from, to }) => (
            <button
              key={label}
              type="button"
              aria-pressed={value.from === from && value.to === to}
              onClick={() => onChange({ from, to })}
              className="h-8 rounded-full border border-control px-3 text-small hover:bg-sunken aria-pressed:border-green aria-pressed:bg-green-tint aria-pressed:text-green pointer-coarse:h-11"
            >
              {label}
            </button>
          ))}
        </div>
        <p className="mb-3 text-muted text-small">
          Days in your time zone ({timeZone}). Budget & Usage counts days and months in UTC.
        </p>
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
      </fieldset>
      <fieldset>
        <legend className="mb-1 font-medium text-small">Amount (USDC)</legend>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Minimum amount">
            {(control) => (
              <AmountInput {...control} decimals={2} value={value.min ?? ''} onChange={(min) => onChange({ min })} />
            )}
          </Field>
          <Field label="Maximum amount" error={maxProblem}>
            {(control) => (
              <AmountInput {...control} decimals={2} value={value.max ?? ''} onChange={(max) => onChange({ max })} />
            )}
          </Field>
        </div>
      </fieldset>
    </>
  )
}
