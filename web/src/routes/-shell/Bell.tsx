import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell as Icon } from 'lucide-react'
import { plural } from '../../lib/format.ts'
import { approvalCountQuery } from '../../queries/approvals.ts'

/** How many payments wait for the owner; leads to them. A change is read out. */
export function Bell() {
  const pending = useQuery(approvalCountQuery).data?.pending ?? 0
  const words = pending === 0 ? 'nothing is waiting' : `${pending} waiting`
  return (
    <>
      <Link
        to="/dashboard/approvals"
        title="Approvals"
        aria-label={`Approvals: ${words}`}
        className="relative -mr-2 inline-flex size-control shrink-0 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink"
      >
        <Icon aria-hidden="true" className="size-5" />
        {pending > 0 && (
          <span
            aria-hidden="true"
            data-testid="bell-count"
            className="absolute top-0.5 right-0 min-w-5 rounded-full bg-red px-1 text-center font-medium text-small text-white leading-5"
          >
            {pending}
          </span>
        )}
      </Link>
      <span role="status" className="sr-only">
        {pending > 0 && `${plural(pending, 'approval')} waiting for you`}
      </span>
    </>
  )
}
