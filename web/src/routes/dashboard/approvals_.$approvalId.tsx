import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
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
      <Link
        to="/dashboard/approvals"
        className="-ml-2 mb-2 inline-flex h-control items-center gap-1 rounded-control px-2 text-muted hover:bg-sunken hover:text-ink"
      >
        <ChevronLeft aria-hidden="true" className="size-4" />
        Approvals
      </Link>
      {data ? (
        <ApprovalCard key={data.id} latest={data} />
      ) : (
        <Card>{error ? <ErrorState error={error} onRetry={() => refetch()} /> : <SkeletonRows rows={6} />}</Card>
      )}
    </div>
  )
}
