import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '#web/components/Button.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { TransactionTimeline } from '#web/components/TransactionTimeline.tsx'
import { useSession } from '#web/lib/session.ts'
import type { Approval } from '#web/queries/approvals.ts'
import { transactionQuery } from '#web/queries/transactions.ts'

/** The approval's outcome and, for an approved payment, its progress. */
export function Outcome({ approval }: { approval: Approval }) {
  const { status, payment, cancelledWhy } = approval
  return (
    <div className="space-y-3">
      <p role="status">{sentenceOf(approval, useSession().user?.id ?? null)}</p>
      {status === 'CANCELLED' && cancelledWhy && <Notice tone="info">{cancelledWhy.message}</Notice>}
      {status === 'APPROVED' && payment && <Progress paymentId={payment.id} />}
    </div>
  )
}

function sentenceOf({ status, kind, decidedBy, agent }: Approval, userId: string | null): string {
  const who = decidedBy === null ? '' : decidedBy.id === userId ? ' by you' : ` by ${decidedBy.name ?? 'somebody'}`
  switch (status) {
    case 'PENDING':
      return 'Nobody has decided yet.'
    case 'APPROVED':
      return kind === 'budget' ? `Approved${who}. The budget is raised.` : `Approved${who}.`
    case 'DENIED':
      return `Denied${who}. Nothing was paid, and ${agent.name} was notified.`
    case 'EXPIRED':
      return 'Nobody answered in time. Nothing was paid.'
    case 'CANCELLED':
      return 'Nothing was paid.'
  }
}

function Progress(props: { paymentId: string }) {
  const { data } = useQuery(transactionQuery(props.paymentId))
  return (
    <>
      {data?.errorMessage && <ErrorBox>{data.errorMessage}</ErrorBox>}
      {data && <TransactionTimeline transaction={data} />}
      <Link
        to="/dashboard/transactions"
        search={{ detail: props.paymentId }}
        className={buttonClass('secondary', 'w-full')}
      >
        View payment
      </Link>
    </>
  )
}
