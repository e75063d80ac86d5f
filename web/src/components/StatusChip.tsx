import { displayStatus, type Transaction } from '../queries/transactions.ts'
import { Chip } from './Chip.tsx'

export function TransactionStatusChip(props: { transaction: Pick<Transaction, 'status'> }) {
  const { label, tone } = displayStatus(props.transaction.status)
  return <Chip tone={tone}>{label}</Chip>
}
