import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

/** `accent` is for the number that matters on its page: at most one card has it. */
export const Card = ({ accent, className, ...props }: ComponentProps<'section'> & { accent?: boolean }) => (
  <section
    {...props}
    className={clsx('rounded-card border', accent ? accentLook : 'border-hairline bg-card', className)}
  />
)
const accentLook = 'border-green/20 bg-green-tint'

/** A card with a heading, a note below it, and at its right what changes the content; `id` is the heading's. */
export const TitledCard = (props: {
  id: string
  title: string
  note?: ReactNode
  aside?: ReactNode
  className?: string
  children: ReactNode
}) => (
  <Card aria-labelledby={props.id} className={clsx('p-5', props.className)}>
    <div
      className={clsx(
        props.aside ? 'mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-3' : !props.note && 'mb-1',
      )}
    >
      <div>
        <h2 id={props.id} className="font-semibold">
          {props.title}
        </h2>
        {props.note && <p className="text-muted text-small">{props.note}</p>}
      </div>
      {props.aside}
    </div>
    {props.children}
  </Card>
)

/**
 * The top of a page: its title, a note beside the title, and its main actions, the primary one last. On a phone, those with
 * `data-small` show their icon alone.
 */
export function PageHeader(props: { title: string; aside?: ReactNode; children?: ReactNode }) {
  return (
    <div className="relative mb-5 flex min-h-control flex-wrap items-center justify-between gap-x-4 gap-y-3">
      <div className="flex min-w-0 items-baseline gap-3">
        <h1 className="wrap-anywhere font-semibold text-title">{props.title}</h1>
        {props.aside}
      </div>
      {props.children && (
        <div className="flex flex-wrap gap-3 max-sm:gap-2 max-sm:*:not-data-small:grow">{props.children}</div>
      )}
    </div>
  )
}

/** A name and its value in a <dl>. */
export function Fact(props: { name: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 py-2">
      <dt className="text-muted text-small">{props.name}</dt>
      <dd className="ml-auto min-w-0 break-words text-right">{props.children}</dd>
    </div>
  )
}

/**
 * 'Syncing...' while a list is being refreshed; otherwise an empty space of the same width. On a phone it is below the header,
 * whose buttons need the width.
 */
export const Syncing = (props: { active: boolean }) => (
  <span role="status" className="min-w-20 text-muted text-small max-sm:absolute max-sm:top-full">
    {props.active ? 'Syncing...' : ''}
  </span>
)
