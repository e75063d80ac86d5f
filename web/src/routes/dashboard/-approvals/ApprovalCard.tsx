import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Amount } from '#web/components/Amount.tsx'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { useNow } from '#web/components/Time.tsx'
import { TransactionTimeline } from '#web/components/TransactionParts.tsx'
import { useSession } from '#web/lib/session.ts'
import type { Approval } from '#web/queries/approvals.ts'
import { transactionQuery } from '#web/queries/transactions.ts'
import { ApprovalFacts } from './ApprovalFacts.tsx'
import { Decision } from './Decision.tsx'
import { changesBetween, stateOf, timeLeft, titleOf } from './words.ts'

/**
 * One approval with its decision. The owner decides only on the version they have seen: if the approval changes, the card
 * says what changed and waits until they have viewed the new version.
 */
export function ApprovalCard(props: { latest: Approval }) {
  const { latest } = props
  const [read, setRead] = useState(latest)
  const isOpen = latest.status === 'PENDING'
  const changed = isOpen && latest.hash !== read.hash
  const shown = changed ? read : latest
  const left = timeLeft(shown.expiresAt, useNow())
  const { label, tone } = stateOf(shown)
  return (
    <Card aria-labelledby="approval" className="flex flex-col">
      <div className="space-y-4 p-5">
        <div>
          <div className="mb-1 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
            <Chip tone={tone}>{label}</Chip>
            {isOpen && (
              <p role="timer" className="text-muted text-small">
                {left ? `Expires in ${left}` : 'Time is up'}
              </p>
            )}
          </div>
          <h1 id="approval" className="wrap-anywhere font-semibold text-title">
            {titleOf(shown)}
          </h1>
          <p>
            <Amount value={shown.amount} chain={shown.wallet.chain} className="font-semibold text-figure" />
          </p>
        </div>
        {!isOpen && <Outcome approval={latest} />}
        <ApprovalFacts approval={shown} />
      </div>
      {changed ? (
        <div className="sticky bottom-0 space-y-3 rounded-b-card border-hairline border-t bg-card p-4">
          <Notice tone="warning">
            This request has changed since you opened it. Nothing was decided.
            <ul className="mt-1 list-disc pl-5">
              {changesBetween(read, latest).map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          </Notice>
          <Button className="w-full" onClick={() => setRead(latest)}>
            Show the new version
          </Button>
        </div>
      ) : (
        isOpen && <Decision approval={shown} isOver={left === null} />
      )}
    </Card>
  )
}

/** The approval's outcome and, for an approved payment, its progress. */
function Outcome({ approval }: { approval: Approval }) {
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
