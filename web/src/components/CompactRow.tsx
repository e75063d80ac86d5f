import type { ReactNode } from 'react'
import { RowLink } from './RowLink.tsx'

/**
 * A row of a list on a phone, at most 72 px high: who and how much; when and why, and the state. A tap anywhere opens it.
 * Texts that are too long are cut.
 */
export function CompactRow(props: {
  href: string
  /** The link's name. */
  label: string
  title: ReactNode
  amount: ReactNode
  /** Left out where null. */
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
