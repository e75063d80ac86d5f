import { type ReactNode, useState } from 'react'
import { Button } from '../components/Button.tsx'
import { Dialog } from '../components/Dialog.tsx'
import { completeRange, type Range, rangeProblems } from '../lib/range.ts'
import { RangeFields } from './RangeFields.tsx'

export type Change<Filters> = (part: { [Name in keyof Filters]?: Filters[Name] | undefined }) => void

/**
 * Edits a draft of a list's filters, which takes effect when applied. `children` renders the list's own fields; days and
 * amounts are common to all lists.
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
        if (!toProblem && !maxProblem) props.onApply(completeRange(draft))
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

/** Removes empty fields, so that equal filters compare equal. */
const withoutEmpty = <Filters,>(draft: Parameters<Change<Filters>>[0]) =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value && (value as string).length > 0)) as Filters
