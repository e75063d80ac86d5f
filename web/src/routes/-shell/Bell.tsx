import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell as Icon } from 'lucide-react'
import { plural } from '#web/lib/format.ts'
import { noticeCountQuery } from '#web/queries/notices.ts'
import { other } from './pages.ts'

/** Counts pending approvals and new notices, and links to both. Screen readers announce changes. */
export function Bell() {
  const { pending, unread } = useQuery(noticeCountQuery).data ?? { pending: 0, unread: 0 }
  const count = pending + unread
  const parts = [pending > 0 && `${pending} waiting`, unread > 0 && `${unread} new`].filter(Boolean)
  return (
    <>
      <Link
        to={other('notices')}
        title="Notices"
        // The accessible name includes the visible count.
        aria-label={`Notices: ${count > 0 ? `${count} (${parts.join(', ')})` : 'nothing new'}`}
        className="relative -mr-2 inline-flex size-control shrink-0 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink"
      >
        <Icon aria-hidden="true" className="size-5" />
        {count > 0 && (
          <span
            aria-hidden="true"
            data-testid="bell-count"
            className="absolute top-0 left-1/2 min-w-4.5 rounded-full bg-red px-1 text-center font-medium text-[11px]/4.5 text-white"
          >
            {count}
          </span>
        )}
      </Link>
      <span role="status" className="sr-only">
        {pending > 0 && `${plural(pending, 'approval')} waiting for you. `}
        {unread > 0 && `${plural(unread, 'new notice')}.`}
      </span>
    </>
  )
}
