import { clsx } from 'clsx'
import { useState } from 'react'
import { AmountInput } from '../components/AmountInput.tsx'
import { Button } from '../components/Button.tsx'
import { Dialog } from '../components/Dialog.tsx'
import { Field, Input } from '../components/Field.tsx'
import { LabeledSelect } from '../components/Select.tsx'
import { type Filter, type FilterFieldProps, type FilterField as Kind, partsOf } from './filters.ts'
import { completeRange, datePresets, draftOf, draftProblems, filterDecimals, type Range } from './range.ts'
import type { FilterValues } from './useListPage.ts'

/** Edits a draft of a list's filters, which takes effect when applied. */
export default function FilterDialog(props: {
  name: string
  filters: Record<string, Filter>
  hasAmounts: boolean
  value: FilterValues
  onApply: (values: FilterValues) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(() => draftOf(props.value))
  /** Whether to show what is wrong with an amount that is still being typed. */
  const [isTried, setTried] = useState(false)
  const change = (part: FilterValues | Range) => setDraft((before) => withoutEmpty({ ...before, ...part }))
  return (
    <Dialog
      title={`Filter ${props.name}`}
      onClose={props.onClose}
      onSubmit={() => {
        setTried(true)
        if (Object.keys(draftProblems(draft)).length === 0) props.onApply(completeRange(draft))
      }}
      footer={
        <>
          <Button look="quiet" className="sm:mr-auto" onClick={() => setDraft({})}>
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
        <div className="grid gap-4 sm:grid-cols-2">
          {Object.entries(props.filters).map(
            ([name, { field }]) =>
              field && (
                <div key={name} className={clsx('min-w-0', !isHalf(field) && 'sm:col-span-2')}>
                  <FilterField
                    field={field}
                    value={draft[name] ?? ''}
                    onChange={(value) => change({ [name]: value })}
                  />
                </div>
              ),
          )}
        </div>
        <RangeFields value={draft} isTried={isTried} hasAmounts={props.hasAmounts} onChange={change} />
      </div>
    </Dialog>
  )
}

/** Whether the field takes half a line. */
const isHalf = (field: Kind) => field.kind === 'select' || (field.kind === 'custom' && field.isHalf)

const withoutEmpty = (draft: FilterValues | Range) =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value)) as FilterValues

/** The field of one filter. */
function FilterField(props: FilterFieldProps & { field: Kind }) {
  const { field, value, onChange } = props
  switch (field.kind) {
    case 'custom':
      return <field.Field value={value} onChange={onChange} />
    case 'text':
      return (
        <Field label={field.label} hint={field.hint}>
          {(control) => (
            <Input
              {...control}
              value={value}
              maxLength={field.maxLength}
              onChange={({ target }) => onChange(target.value)}
            />
          )}
        </Field>
      )
    case 'select':
      return (
        <LabeledSelect
          label={field.label}
          value={value}
          onChange={onChange}
          none={field.all}
          choices={Object.entries(field.options)}
        />
      )
    case 'choices': {
      const chosen = partsOf(value)
      const choose = (option: string, isChosen: boolean) =>
        Object.keys(field.options).filter((one) => (one === option ? isChosen : chosen.includes(one)))
      return (
        <fieldset>
          <legend className="mb-1 font-medium text-small">{field.label}</legend>
          <div className="flex flex-wrap gap-x-5">
            {Object.entries(field.options).map(([option, label]) => (
              <label key={option} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
                <input
                  type="checkbox"
                  className="size-4 accent-green"
                  checked={chosen.includes(option)}
                  onChange={({ target }) => onChange(choose(option, target.checked).join(','))}
                />
                {label}
              </label>
            ))}
          </div>
        </fieldset>
      )
    }
  }
}

/** Fields for a filter's first and last day and, where rows have amounts, its minimum and maximum. */
function RangeFields(props: {
  value: Range
  isTried: boolean
  hasAmounts: boolean
  onChange: (change: Range) => void
}) {
  const { value, onChange } = props
  const [presets] = useState(() => datePresets(new Date()))
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const { toProblem } = draftProblems(value)
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
      {props.hasAmounts && <AmountFields value={value} isTried={props.isTried} onChange={onChange} />}
    </>
  )
}

function AmountFields(props: { value: Range; isTried: boolean; onChange: (change: Range) => void }) {
  const { value, onChange } = props
  const { minProblem, maxProblem, orderProblem } = draftProblems(value)
  const shown = (problem: string | undefined) => (props.isTried ? problem : undefined)
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-small">Amount (USDC)</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Minimum amount" error={shown(minProblem)}>
          {(control) => (
            <AmountInput
              {...control}
              decimals={filterDecimals}
              value={value.min ?? ''}
              onChange={(min) => onChange({ min })}
            />
          )}
        </Field>
        <Field label="Maximum amount" error={shown(maxProblem) ?? orderProblem}>
          {(control) => (
            <AmountInput
              {...control}
              decimals={filterDecimals}
              value={value.max ?? ''}
              onChange={(max) => onChange({ max })}
            />
          )}
        </Field>
      </div>
    </fieldset>
  )
}
