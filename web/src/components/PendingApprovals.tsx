import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { plural } from '../lib/format.ts'
import { pendingApprovalsQuery } from '../queries/approvals.ts'
import { noticeCountQuery } from '../queries/notices.ts'
import { useMay } from '../queries/people.ts'
import { linkClass } from './Links.tsx'
import { Notice } from './Notice.tsx'

/** Says how many requests wait for the owner, with a link to them. Renders nothing if there are none. */
export function PendingApprovals() {
  const pending = useQuery(noticeCountQuery).data?.pending ?? 0
  return <Waiting count={pending} className="mb-4" />
}

/** The same for one group. */
export function PendingApprovalsOf(props: { groupId: string }) {
  const { data } = useQuery(pendingApprovalsQuery)
  const waiting = data?.approvals.filter(({ policyGroup }) => policyGroup.id === props.groupId) ?? []
  return <Waiting count={waiting.length} only={waiting.length === 1 ? waiting[0]!.id : undefined} className="mb-5" />
}

function Waiting(props: { count: number; only?: string | undefined; className: string }) {
  const { count, only } = props
  const mayDecide = useMay('approvals.approve')
  if (count === 0) return null
  return (
    <Notice tone="info" className={props.className}>
      {plural(count, 'request')} {count === 1 ? 'waits' : 'wait'} for {mayDecide ? 'your approval' : 'an approval'}.{' '}
      {only ? (
        <Link to="/dashboard/approvals/$approvalId" params={{ approvalId: only }} className={linkClass}>
          {mayDecide ? 'Decide' : 'View'}
        </Link>
      ) : (
        <Link to="/dashboard/approvals" className={linkClass}>
          Review
        </Link>
      )}
    </Notice>
  )
}
