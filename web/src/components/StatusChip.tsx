import { displayStatus, payoutState, type Transaction } from '../queries/transactions.ts'
import { Chip } from './Chip.tsx'

export function TransactionStatusChip(props: { transaction: Transaction }) {
  const { label, tone } = displayStatus(props.transaction.status)
  // Its sender took it back: nothing went wrong.
  return <Chip tone={payoutState(props.transaction) === 'Funds Reclaimed' ? 'neutral' : tone}>{label}</Chip>
}

/** With what became of a payout's money, which the one word hides: Failed is also what was reclaimed. */
export function TransactionStatus(props: { transaction: Transaction }) {
  const payout = payoutState(props.transaction)
  return (
    <>
      <TransactionStatusChip transaction={props.transaction} />
      {payout && <p className="whitespace-nowrap text-muted">{payout}</p>}
    </>
  )
}
