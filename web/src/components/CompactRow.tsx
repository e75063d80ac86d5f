import type { ReactNode } from 'react'
import { RowLink } from './RowLink.tsx'

/**
 * A list row on a phone, at most 72 px high: title and amount on the first line, notes and state on the second. Tapping
 * anywhere follows the link. Long text is truncated.
 */
export function CompactRow(props: {
  href: string
  /** The link's accessible name. */
  label: string
  title: ReactNode
  amount: ReactNode
  /** Null entries are left out. */
  notes: (ReactNode | null)[]
  state: ReactNode
}) {
  const notes = props.notes.filter((note) => note !== null)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3">
      <p className="truncate font-medium">{props.title}</p>
      <p className="text-right">{props.amount}</p>
      <p className="truncate text-muted text-small">
        {notes.map((note, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence
          <span key={i}>
            {i > 0 && ' · '}
            {note}
          </span>
        ))}
      </p>
      <div className="flex justify-end">{props.state}</div>
      <RowLink href={props.href} aria-label={props.label} className="absolute inset-0 outline-offset-[-3px]" />
    </div>
  )
}
