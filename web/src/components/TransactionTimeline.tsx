import { displayStatus, isFinal, payoutState, type Transaction } from '../queries/transactions.ts'
import { Timeline, type TimelineStep } from './Timeline.tsx'

/** How far a payment has come. */
export function TransactionTimeline(props: { transaction: Transaction }) {
  const { transaction } = props
  const { decidedAt, signedAt, broadcastAt, confirmedAt } = transaction.timeline
  const refused = displayStatus(transaction.status).label === 'Failed' && payoutState(transaction) === null
  const steps: TimelineStep[] = [{ label: 'Accepted', at: decidedAt }]
  if (refused) {
    if (!signedAt && !broadcastAt) steps[0] = { label: 'Requested', at: decidedAt }
    if (signedAt) steps.push({ label: 'Signed', at: signedAt })
    if (broadcastAt) steps.push({ label: 'Sent to the network', at: broadcastAt })
    steps.push({ label: transaction.status === 'FAILED' ? 'Not sent' : 'Refused', at: null, failed: true })
  } else {
    steps.push(
      { label: 'Signed', at: signedAt },
      { label: 'Sent to the network', at: broadcastAt },
      { label: transaction.category === 'escrow' ? 'Funded on Base' : 'Confirmed on Base', at: confirmedAt },
    )
  }
  return <Timeline steps={steps} live={!isFinal(transaction)} />
}
