import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { plural } from '../lib/format.ts'
import { pendingApprovalsQuery } from '../queries/approvals.ts'
import { linkClass } from './Links.tsx'
import { Notice } from './Notice.tsx'

/** That payments wait for the owner, of one group or of all, with the way to them. Nothing where none does. */
export function PendingApprovals(props: { groupId?: string; className?: string }) {
  const { groupId } = props
  const { data } = useQuery(pendingApprovalsQuery)
  const waiting = data?.approvals.filter(({ policyGroup }) => !groupId || policyGroup.id === groupId) ?? []
  const [first] = waiting
  if (!first) return null
  return (
    <div className={props.className}>
      <Notice tone="info">
        {plural(waiting.length, 'request')} {waiting.length === 1 ? 'waits' : 'wait'} for your approval.{' '}
        {waiting.length === 1 ? (
          <Link to="/dashboard/approvals/$approvalId" params={{ approvalId: first.id }} className={linkClass}>
            Decide
          </Link>
        ) : (
          <Link to="/dashboard/approvals" className={linkClass}>
            See them
          </Link>
        )}
      </Notice>
    </div>
  )
}
