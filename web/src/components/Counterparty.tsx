import { shortAddress } from '../lib/format.ts'
import type { Transaction } from '../queries/transactions.ts'

/** The recipient of a payment, in one line. */
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
