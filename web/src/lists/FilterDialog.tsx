import { type ReactNode, useState } from 'react'
import { Button } from '../components/Button.tsx'
import { Dialog } from '../components/Dialog.tsx'
import { Field, Input } from '../components/Field.tsx'
import { RangeFields } from './RangeFields.tsx'
import { type Range, rangeProblems } from './range.ts'

export type Change<Filters> = (part: { [Name in keyof Filters]?: Filters[Name] | undefined }) => void

/**
 * Edits a draft of a list's filters; they hold once they are applied. Days and amounts are every list's, `children`
 * what it has besides.
 */
export function FilterDialog<Filters extends Range>(props: {
  title: string
  value: Filters
  onApply: (filters: Filters) => void
  onClose: () => void
  children: (draft: Filters, change: Change<Filters>) => ReactNode
}) {
  const [draft, setDraft] = useState(props.value)
  const change: Change<Filters> = (part) => setDraft((before) => withoutEmpty<Filters>({ ...before, ...part }))
  const { from, to, min, max } = draft
  const { toProblem, maxProblem } = rangeProblems({ from, to, min, max })
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={(event) => {
        event.preventDefault()
        if (!toProblem && !maxProblem) props.onApply(draft)
      }}
      footer={
        <>
          <Button look="quiet" className="sm:mr-auto" onClick={() => setDraft(withoutEmpty<Filters>({}))}>
            Reset All
          </Button>
          <Button look="secondary" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit">Apply Filters</Button>
        </>
      }
    >
      <div className="space-y-4">
        {props.children(draft, change)}
        <RangeFields value={draft} onChange={(part) => change(part as Parameters<typeof change>[0])} />
      </div>
    </Dialog>
  )
}

/** Fields that say nothing are left out, so that equal filters are equal. */
const withoutEmpty = <Filters,>(draft: Parameters<Change<Filters>>[0]) =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value && (value as string).length > 0)) as Filters

/** A text that is looked for. */
export function TextField(props: {
  label: string
  hint?: string
  value: string | undefined
  maxLength: number
  onChange: (text: string) => void
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(control) => (
        <Input
          {...control}
          value={props.value ?? ''}
          maxLength={props.maxLength}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** One choice of several, as boxes to tick. */
export function Choices<T extends string>(props: {
  legend: string
  options: readonly (readonly [value: T, label: string])[]
  value: readonly T[]
  onChange: (value: T[]) => void
}) {
  const { options, value } = props
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-small">{props.legend}</legend>
      <div className="flex flex-wrap gap-x-5">
        {options.map(([option, label]) => (
          <label key={option} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 accent-green"
              checked={value.includes(option)}
              onChange={(event) =>
                props.onChange(
                  options
                    .map(([one]) => one)
                    .filter((one) => (one === option ? event.target.checked : value.includes(one))),
                )
              }
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
