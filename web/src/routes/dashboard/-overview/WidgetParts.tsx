import { Link, type LinkProps } from '@tanstack/react-router'
import { createContext, type ReactNode } from 'react'
import type { Overview } from '#schemas/overview.ts'
import { Button } from '#web/components/Button.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { messageOf } from '#web/lib/apiError.ts'

/** Props of all widgets that share the overview call. */
export type WidgetProps = { overview: Overview }

/** How often widgets are refreshed. */
export const refreshMs = 30_000 // 30 seconds

/** An error message that fits the smallest widget. */
export function WidgetError(props: { error: unknown; onRetry: () => void }) {
  return (
    <div role="alert" className="text-small">
      <p>{messageOf(props.error)}</p>
      <Button look="quiet" className="mt-1 -ml-4" onClick={props.onRetry}>
        Try again
      </Button>
    </div>
  )
}

export const WidgetLoading = () => (
  <output aria-label="Loading" className="block py-1">
    <Skeleton className="h-9 w-2/3" />
  </output>
)

/** A link at the bottom of a widget to the page with more. */
export const WidgetLink = (props: {
  to: NonNullable<LinkProps['to']>
  /** Filters that make the linked list show what the widget counts. */
  search?: Record<string, string>
  children: ReactNode
}) => (
  <Link
    to={props.to}
    {...(props.search && { search: props.search as NonNullable<LinkProps['search']> })}
    className="mt-auto w-fit rounded-sm pt-1 text-green text-small underline underline-offset-3 pointer-coarse:min-h-7"
  >
    {props.children}
  </Link>
)

/** Covers the figure that it follows, which is the link. `title` is the figure's own: a covered element shows none. */
export const FigureLink = (props: {
  to: NonNullable<LinkProps['to']>
  search: Record<string, string> | undefined
  label: string
  title: string | undefined
}) => (
  <Link
    to={props.to}
    {...(props.search && { search: props.search as NonNullable<LinkProps['search']> })}
    aria-label={props.label}
    title={props.title ?? props.label}
    className="absolute -inset-x-2 -bottom-1 top-0 rounded-control hover:ring-1 hover:ring-control"
  />
)

/** Replaces the enclosing widget's title; null restores the default. */
export const WidgetTitle = createContext<(title: string | null) => void>(() => {})
