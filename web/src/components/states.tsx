import { clsx } from 'clsx'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError, messageOf } from '../lib/apiError.ts'
import { Button } from './Button.tsx'
import { Card } from './Card.tsx'

/** A gray bar in place of content that is loading; appears after 150 ms. */
export const Skeleton = (props: { className?: string }) => (
  <div aria-hidden="true" className="appear-late">
    <div className={clsx('breathe rounded-control bg-sunken', props.className ?? 'h-5')} />
  </div>
)

/** In place of a card that is loading: as high as the card, by `className`, with bars for its title and its lines. */
export const SkeletonCard = (props: { className: string; lines?: number }) => (
  <div
    aria-hidden="true"
    className={clsx('appear-late overflow-hidden rounded-card border border-hairline bg-card p-5', props.className)}
  >
    <div className="breathe space-y-3">
      <div className="h-6 w-2/5 rounded-control bg-sunken" />
      {Array.from({ length: props.lines ?? 2 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars without identity
        <div key={i} className="h-5 rounded-control bg-sunken" />
      ))}
    </div>
  </div>
)

export function SkeletonRows(props: { rows: number; className?: string }) {
  return (
    <output aria-label="Loading" className="block space-y-3 p-5">
      {Array.from({ length: props.rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars without identity
        <Skeleton key={i} className={props.className ?? 'h-8'} />
      ))}
    </output>
  )
}

/** An empty list: what it means and what to do next. */
export function EmptyState(props: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-1 px-5 py-12 text-center">
      <p className="font-semibold">{props.title}</p>
      <div className="max-w-md text-balance text-muted">{props.children}</div>
      {props.action && <div className="mt-4">{props.action}</div>}
    </div>
  )
}

export function ErrorState(props: { error: unknown; fallback?: string | undefined; onRetry: () => void }) {
  // What was not found will not be found by asking again.
  const isMissing = props.error instanceof ApiError && props.error.status === 404
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-5 py-10 text-center">
      <CircleAlert aria-hidden="true" className="size-6 text-red" />
      <p className="max-w-md">{messageOf(props.error, props.fallback)}</p>
      {!isMissing && (
        <Button look="secondary" onClick={props.onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** What a query has loaded. Until then `loading`; if it failed, the reason and a button to try again. */
export function Loaded<T>(props: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown }
  loading: ReactNode
  /** The message if the server gives no reason. */
  fallback?: string
  /** Puts all but the data, which brings its own cards, in one. */
  inCard?: boolean
  children: (data: T) => ReactNode
}) {
  const { data, error, refetch } = props.query
  if (data !== undefined) return props.children(data)
  const state = error ? <ErrorState error={error} fallback={props.fallback} onRetry={() => refetch()} /> : props.loading
  return props.inCard ? <Card>{state}</Card> : state
}
