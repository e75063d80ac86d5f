import { shortAddress } from '../lib/format.ts'
import type { Transaction } from '../queries/transactions.ts'

/** Who a payment went to, in one line. */
export function Counterparty(props: { transaction: Transaction }) {
  const { contact, recipientEmail, recipientPhone, toAddress } = props.transaction
  const name = contact?.name ?? recipientEmail ?? recipientPhone
  if (name) return <span className="wrap-anywhere">{name}</span>
  if (!toAddress) return <span className="text-muted">Not specified</span>
  return (
    <span className="font-mono" title={toAddress}>
      {shortAddress(toAddress)}
    </span>
  )
}
