import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { BackLink } from '#web/components/BackLink.tsx'
import { Card } from '#web/components/Card.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { useTitle } from '#web/lib/useTitle.ts'
import { approvalQuery } from '#web/queries/approvals.ts'
import { ApprovalCard } from './-approvals/ApprovalCard.tsx'
import { amountOf, titleOf } from './-approvals/words.ts'

export const Route = createFileRoute('/dashboard/approvals_/$approvalId')({ component: ApprovalPage })

/** The page of one approval, to which messages link. Opening it decides nothing. */
function ApprovalPage() {
  const { approvalId } = Route.useParams()
  const { data, error, refetch } = useQuery(approvalQuery(approvalId))
  useTitle(data ? `${titleOf(data)} ${amountOf(data)}` : 'Approval')
  return (
    <div className="mx-auto max-w-[560px]">
      <BackLink to="/dashboard/approvals">Approvals</BackLink>
      {data ? (
        <ApprovalCard key={data.id} latest={data} />
      ) : (
        <Card>{error ? <ErrorState error={error} onRetry={() => refetch()} /> : <SkeletonRows rows={6} />}</Card>
      )}
    </div>
  )
}
