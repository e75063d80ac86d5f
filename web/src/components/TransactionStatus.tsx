import { awaitsApproval, displayStatus, payoutState, type Transaction } from '../queries/transactions.ts'
import { Chip } from './Chip.tsx'

export function TransactionStatusChip(props: { transaction: Transaction }) {
  const { label, tone } = displayStatus(props.transaction.status)
  // A payout reclaimed by its sender is not a failure.
  return <Chip tone={payoutState(props.transaction) === 'Funds Reclaimed' ? 'neutral' : tone}>{label}</Chip>
}

/** The status, and below it the payout's state (a reclaimed payout is Failed, for example) or the reason it failed. */
export function TransactionStatus(props: { transaction: Transaction; reason: string | null }) {
  const { transaction } = props
  const note = awaitsApproval(transaction) ? 'Awaiting approval' : (payoutState(transaction) ?? props.reason)
  return (
    <>
      <TransactionStatusChip transaction={props.transaction} />
      {note && <p className="line-clamp-2 max-w-40 text-muted">{note}</p>}
    </>
  )
}
