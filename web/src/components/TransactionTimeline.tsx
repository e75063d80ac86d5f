import { awaitsApproval, isFinal, payoutState, type Transaction } from '../queries/transactions.ts'
import { Timeline, type TimelineStep } from './Timeline.tsx'

/** Label of the last step of a payment that moved no money. */
const endings: Partial<Record<Transaction['status'], string>> = {
  POLICY_REJECTED: 'Refused',
  VALIDATION_FAILED: 'Refused',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Expired',
  FAILED: 'Not sent',
}

/** The progress of a payment. */
export function TransactionTimeline(props: { transaction: Transaction }) {
  const { transaction } = props
  return <Timeline steps={stepsOf(transaction)} live={!isFinal(transaction)} />
}

function stepsOf(transaction: Transaction): TimelineStep[] {
  const { category, status } = transaction
  const { decidedAt, signedAt, broadcastAt, confirmedAt } = transaction.timeline
  // Withdrawals and reclaims of payouts are recorded only once they have happened, so they have one step.
  if (category === 'payout_withdraw') return [{ label: 'Withdrawn on Base', at: confirmedAt }]
  if (category === 'payout_reclaim') return [{ label: 'Returned on Base', at: confirmedAt }]
  if (awaitsApproval(transaction)) return [{ label: 'Waits for your approval', at: null }]
  const ending = payoutState(transaction) === null ? endings[status] : undefined
  if (ending === undefined)
    return [
      { label: 'Accepted', at: decidedAt },
      { label: 'Signed', at: signedAt },
      { label: 'Sent to the network', at: broadcastAt },
      { label: category === 'payout' ? 'Funded on Base' : 'Confirmed on Base', at: confirmedAt },
    ]
  return [
    { label: signedAt || broadcastAt ? 'Accepted' : 'Requested', at: decidedAt },
    ...(signedAt ? [{ label: 'Signed', at: signedAt }] : []),
    ...(broadcastAt ? [{ label: 'Sent to the network', at: broadcastAt }] : []),
    // A refusal happens when the payment is decided; the times of other endings are not stored.
    { label: ending, at: ending === 'Refused' ? decidedAt : null, failed: true },
  ]
}
