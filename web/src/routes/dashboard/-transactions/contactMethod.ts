import type { Transaction } from '../../../queries/transactions.ts'
import type { NewMethod } from '../-contacts/AddMethod.tsx'

/** How the recipient of a transaction can be paid again; null when it tells nothing of them. */
export function contactMethodOf(transaction: Transaction): NewMethod | null {
  const { category, toAddress, recipientEmail, recipientPhone } = transaction
  if (category === 'address') return toAddress === null ? null : { address: toAddress }
  if (category !== 'escrow') return null
  return recipientEmail !== null
    ? { email: recipientEmail }
    : recipientPhone !== null
      ? { phone: recipientPhone }
      : null
}
