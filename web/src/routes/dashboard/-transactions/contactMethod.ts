import type { Transaction } from '#web/queries/transactions.ts'
import type { NewMethod } from '../-contacts/AddMethod.tsx'

/** The method by which a transaction's recipient can be paid again; null if the transaction does not show it. */
export function contactMethodOf(transaction: Transaction): NewMethod | null {
  const { category, toAddress, recipientEmail, recipientPhone } = transaction
  if (category === 'address') return toAddress === null ? null : { address: toAddress }
  if (category !== 'payout') return null
  return recipientEmail !== null
    ? { email: recipientEmail }
    : recipientPhone !== null
      ? { phone: recipientPhone }
      : null
}
