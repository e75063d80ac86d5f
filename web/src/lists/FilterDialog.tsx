import { clsx } from 'clsx'
import { useState } from 'react'
import { Button } from '../components/Button.tsx'
import { Dialog } from '../components/Dialog.tsx'
import { FilterField } from './FilterField.tsx'
import type { Filter, FilterField as Kind } from './filters.ts'
import { RangeFields } from './RangeFields.tsx'
import { completeRange, type Range, rangeProblems } from './range.ts'
import type { FilterValues } from './useListPage.ts'

/** Edits a draft of a list's filters, which takes effect when applied. */
export default function FilterDialog(props: {
  name: string
  filters: Record<string, Filter>
  value: FilterValues
  onApply: (values: FilterValues) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(props.value)
  const change = (part: FilterValues | Range) => setDraft((before) => withoutEmpty({ ...before, ...part }))
  const { toProblem, maxProblem } = rangeProblems(draft)
  return (
    <Dialog
      title={`Filter ${props.name}`}
      onClose={props.onClose}
      onSubmit={(event) => {
        event.preventDefault()
        if (!toProblem && !maxProblem) props.onApply(completeRange(draft))
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
        <RangeFields value={draft} onChange={change} />
      </div>
    </Dialog>
  )
}

/** Whether the field takes half a line. */
const isHalf = (field: Kind) => field.kind === 'select' || (field.kind === 'custom' && field.isHalf)

const withoutEmpty = (draft: FilterValues | Range) =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value)) as FilterValues
