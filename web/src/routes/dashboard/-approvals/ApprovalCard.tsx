import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Amount } from '#web/components/Amount.tsx'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { useNow } from '#web/components/Time.tsx'
import { TransactionTimeline } from '#web/components/TransactionParts.tsx'
import { isOutcomeUnknown, messageOf } from '#web/lib/apiError.ts'
import { useSession } from '#web/lib/session.ts'
import { useAction } from '#web/lib/useAction.ts'
import { type Approval, approve, deny, isForAnother, isLateAnswer, refreshApprovals } from '#web/queries/approvals.ts'
import { useAllowed, useMay } from '#web/queries/people.ts'
import { transactionQuery } from '#web/queries/transactions.ts'
import { useOnline } from '#web/routes/-shell/useOnline.ts'
import { ApprovalFacts, ApprovalRecipient } from './ApprovalFacts.tsx'
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
  const mayRaise = useMay('approvals.raiseBudget')
  const mayDecide = useMay('approvals.approve') && (shown.kind === 'payment' || mayRaise)
  const heading = useRef<HTMLHeadingElement>(null)
  const wasOpen = useRef(isOpen)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    // The button that decided is gone, and the focus with it.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) heading.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
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
          <h1 id="approval" ref={heading} tabIndex={-1} className="wrap-anywhere font-semibold text-title outline-none">
            {titleOf(shown)}
          </h1>
          <p>
            <Amount value={shown.amount} chain={shown.wallet.chain} className="font-semibold text-figure" />
          </p>
        </div>
        <Outcome approval={latest} isLate={isLate} />
        <ApprovalRecipient approval={shown} />
      </div>
      {/* The buttons stick to the bottom of the window, but do not leave this box: they never cover the recipient. */}
      <div>
        <div className="space-y-4 px-5 pb-5">
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
          isOpen && mayDecide && <Decision approval={shown} isOver={left === null} onLate={() => setLate(true)} />
        )}
      </div>
    </Card>
  )
}

/** The approval's outcome and, for an approved payment, its progress. Empty while it waits, so that the outcome is announced. */
function Outcome({ approval, isLate }: { approval: Approval; isLate: boolean }) {
  const { status, payment } = approval
  const isPaying = status === 'APPROVED' && payment !== null
  const { data } = useQuery({ ...transactionQuery(payment?.id ?? ''), enabled: isPaying })
  const sentence = sentenceOf(approval, useSession().user?.id ?? null)
  const end = !isPaying ? undefined : data?.status
  return (
    <div className={status === 'PENDING' ? '' : 'space-y-3'}>
      <p role="status">
        {[
          isLate && 'Your answer came too late and changed nothing.',
          sentence,
          end === 'CONFIRMED' && 'The payment is confirmed.',
          end === 'FAILED' && 'The payment failed.',
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
      {status === 'APPROVED' && payment && <Progress paymentId={payment.id} />}
    </div>
  )
}

function sentenceOf(approval: Approval, userId: string | null): string {
  const { status, kind, decidedBy, agent, purchase, grantId, cancelledWhy } = approval
  const who = decidedBy === null ? '' : decidedBy.id === userId ? ' by you' : ` by ${decidedBy.name ?? 'somebody'}`
  switch (status) {
    case 'PENDING':
      return ''
    case 'APPROVED':
      if (kind === 'budget') return `Approved${who}. The budget is raised.`
      return [
        `Approved${who}.`,
        purchase && `${agent.name} gets it when it asks again.`,
        grantId && 'Further payments are allowed as you chose; Account Settings lists what is allowed.',
      ]
        .filter(Boolean)
        .join(' ')
    case 'DENIED':
      return `Denied${who}. Nothing was paid. ${
        agent.paused
          ? `${agent.name} is paused.`
          : `${agent.name} sees this when it next asks about the ${kind === 'budget' ? 'request' : 'payment'}.`
      }`
    case 'EXPIRED':
      return 'Nobody answered in time. Nothing was paid.'
    case 'CANCELLED':
      return `${cancelledWhy?.message ?? ''} Nothing was paid.`.trimStart()
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

const PasswordDialog = lazy(async () => ({ default: (await import('./ApprovalDialogs.tsx')).PasswordDialog }))
const AlwaysAllowDialog = lazy(async () => ({ default: (await import('./ApprovalDialogs.tsx')).AlwaysAllowDialog }))

type Act = 'approve' | 'deny' | 'deny_and_pause'

/** The four possible decisions, at the bottom of the screen, within reach of the thumb. */
function Decision(props: { approval: Approval; isOver: boolean; onLate: () => void }) {
  const { approval } = props
  const [asking, setAsking] = useState<'password' | 'grant' | null>(null)
  const online = useOnline()
  const isAllowed = useAllowed()
  // What would be refused to this person whatever they do; the facts above say who has to decide.
  const mayApprove = !isForAnother(approval)
  const decision = useAction(
    (act: Act) =>
      (act === 'approve'
        ? approve(approval.id, { hash: approval.hash })
        : deny(approval.id, { hash: approval.hash, pauseAgent: act === 'deny_and_pause' })
      )
        .catch((error) => {
          if (isLateAnswer(error)) props.onLate()
          throw error
        })
        // In every case: the approval may have changed, expired, or been decided elsewhere.
        .finally(refreshApprovals),
    { fallback: problemOf },
  )
  const { problem } = decision
  const disabled = decision.busy || props.isOver || !online
  const decide = (act: Act) =>
    act === 'approve' && approval.needsPassword ? setAsking('password') : decision.start(act)

  const button = (act: Act, label: string, look: 'primary' | 'secondary') => (
    <Button
      look={look}
      busy={decision.input === act}
      disabled={disabled}
      onClick={() => decide(act)}
      className="w-full min-w-0 whitespace-normal! px-2! text-center leading-5"
    >
      {label}
    </Button>
  )
  return (
    <div className="sticky bottom-0 rounded-b-card border-hairline border-t bg-card p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
      {problem && <ErrorBox className="mb-3">{problem}</ErrorBox>}
      {props.isOver && <p className="mb-3 text-muted text-small">The time to answer has expired. Nothing is paid.</p>}
      <div className="grid grid-cols-[2fr_1fr] gap-3">
        {mayApprove && approval.canGrant && isAllowed('approvals.grant') && (
          <Button look="secondary" disabled={disabled} onClick={() => setAsking('grant')} className="col-span-2 w-full">
            Approve and always allow…
          </Button>
        )}
        {!approval.agent.paused &&
          isAllowed('policies.pause') &&
          button('deny_and_pause', 'Deny and pause agent', 'secondary')}
        {button('deny', 'Deny', 'secondary')}
        {mayApprove && (
          <div className="col-span-2">
            {button('approve', approval.kind === 'budget' ? 'Approve' : 'Approve once', 'primary')}
          </div>
        )}
      </div>
      <Suspense>
        {asking === 'password' && <PasswordDialog {...props} onClose={() => setAsking(null)} />}
        {asking === 'grant' && <AlwaysAllowDialog {...props} onClose={() => setAsking(null)} />}
      </Suspense>
    </div>
  )
}

function problemOf(error: unknown): string {
  return isOutcomeUnknown(error)
    ? 'There was no reply, so it is unknown whether this was decided. Try again: nothing is paid twice.'
    : messageOf(error)
}
