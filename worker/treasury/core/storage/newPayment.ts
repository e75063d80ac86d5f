import { isSeller, kindOf, kindTo } from '#domain/kinds/kinds.ts'
import { notesOf } from '#domain/paymentNotes.ts'
import { hostOf } from '#domain/x402/seller.ts'
import type { PaymentTerms, Recipient } from '#schemas/paymentTerms.ts'
import type { Address } from '../../../chain/types.ts'
import { nullColumns } from '../../../durable/table.ts'
import { fromColumn, toColumn } from './columns.ts'
import type { PaidTo } from './paidRecipients.ts'
import { payment } from './paymentTables.ts'
import type { AgentRow, GroupRow, PaymentRow, WalletRow, WhitelistRow } from './rows.ts'

/** The columns of a payment about which nothing is known yet. */
export const emptyColumns = { ...nullColumns(payment), give_up_at: 0, sig_version: 0 }

/** Where the money would go. Exactly one of address, email and phone is set. `seller`: the host of a purchase. */
export type Target = {
  address: Address | null
  email: string | null
  phone: string | null
  seller: string | null
  contact: WhitelistRow | null
}

/** What a payment's row has besides its terms. */
type Parts = Pick<PaymentRow, 'id' | 'status' | 'created_at'> &
  Partial<Pick<PaymentRow, keyof typeof emptyColumns>> & {
    caller: { wallet: WalletRow; group: GroupRow | null; agent: AgentRow | null }
    /** Null if the request was refused before it was known where the money would go. */
    target: Target | null
    /** The user's contact that is paid. */
    contact?: { id: string; name: string } | null
  }

/** The row of a payment that is accepted, refused or waits for approval: the only place that names every column. */
export function newPayment(terms: PaymentTerms, parts: Parts): PaymentRow {
  const { to, amount, expiresInDays, senderName } = terms
  const { caller, target, contact, ...columns } = parts
  const isPayout = target ? target.address === null : to.type === 'email' || to.type === 'phone'
  const recipient = target ?? {
    address: to.type === 'address' || isSeller(to) ? to.address : null,
    email: to.type === 'email' ? to.email : null,
    phone: to.type === 'phone' ? to.phone : null,
  }
  return {
    ...emptyColumns,
    kind: kindTo(to, isPayout),
    wallet_id: caller.wallet.id,
    group_id: caller.group?.id ?? null,
    agent_id: caller.agent?.id ?? null,
    policy_version: caller.group?.version ?? null,
    to_type: contact && to.type !== 'contact' ? 'contact' : to.type,
    to_address: recipient.address,
    contact_id: to.type === 'contact' ? to.contactId : (contact?.id ?? null),
    contact_name: target?.contact?.name ?? contact?.name ?? null,
    recipient_email: recipient.email,
    recipient_phone: recipient.phone,
    ...(isSeller(to) && { resource: to.resource, seller: hostOf(to.resource) }),
    amount: toColumn(amount),
    ...notesOf(terms),
    expires_in_days: expiresInDays,
    sender_name: senderName,
    ...columns,
  }
}

/** The terms of an agent's payment, from its row. A contact's method is the one that was chosen when it was requested. */
export function termsOf(payment: PaymentRow): PaymentTerms {
  return {
    wallet: payment.agent_id === null ? payment.wallet_id : null,
    to: recipientOf(payment),
    amount: fromColumn(payment.amount),
    ...notesOf(payment),
    expiresInDays: payment.expires_in_days,
    senderName: payment.sender_name,
  }
}

/** Where the money of a payment goes. */
export const paidToOf = (payment: PaymentRow): PaidTo => ({
  address: kindOf(payment).paidTo === 'emailOrPhone' ? null : payment.to_address,
  email: payment.recipient_email,
  phone: payment.recipient_phone,
  seller: payment.seller,
})

function recipientOf(payment: PaymentRow): Recipient {
  const { to_type, contact_id, to_address, recipient_email, recipient_phone, resource } = payment
  if (kindOf(payment).paidTo === 'seller') return { type: 'x402', address: to_address!, resource: resource! }
  if (to_type === 'contact')
    return {
      type: 'contact',
      contactId: contact_id!,
      method: recipient_email !== null ? 'email' : recipient_phone !== null ? 'phone' : 'address',
    }
  if (recipient_email !== null) return { type: 'email', email: recipient_email }
  if (recipient_phone !== null) return { type: 'phone', phone: recipient_phone }
  return { type: 'address', address: to_address! }
}
