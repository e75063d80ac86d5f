import { eachNote, notesOf } from '#domain/paymentNotes.ts'
import { hostOf } from '#domain/x402/seller.ts'
import type { PaymentTerms, Recipient } from '#schemas/paymentTerms.ts'
import type { Address } from '../../chain/types.ts'
import { fromColumn, toColumn } from './columns.ts'
import type { PaidTo } from './paidRecipients.ts'
import type { AgentRow, GroupRow, PaymentRow, WalletRow, WhitelistRow } from './rows.ts'

/** The columns that may be null, of a payment about which nothing is known yet. */
export const unset = {
  group_id: null,
  agent_id: null,
  policy_version: null,
  to_address: null,
  contact_id: null,
  contact_name: null,
  recipient_email: null,
  recipient_phone: null,
  resource: null,
  seller: null,
  ...eachNote(() => null),
  expires_in_days: null,
  sender_name: null,
  error_code: null,
  error_message: null,
  refusal: null,
  accepted_at: null,
  signed_at: null,
  broadcast_at: null,
  confirmed_at: null,
  released_at: null,
  tx_hash: null,
  give_up_at: 0,
  epoch: null,
  sequence: null,
  deadline: null,
  max_deadline: null,
  sig_version: 0,
  r: null,
  vs: null,
  first_block: null,
  authorization: null,
  gas_send: null,
  gas_announce: null,
  gas_end: null,
  revert: null,
  approval_id: null,
  grant_id: null,
  request_key: null,
} satisfies Partial<PaymentRow>

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
  Partial<Pick<PaymentRow, keyof typeof unset>> & {
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
    address: to.type === 'address' || to.type === 'x402' ? to.address : null,
    email: to.type === 'email' ? to.email : null,
    phone: to.type === 'phone' ? to.phone : null,
  }
  return {
    ...unset,
    kind: to.type === 'x402' ? 'x402' : isPayout ? 'payout' : 'send',
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
    ...(to.type === 'x402' && { resource: to.resource, seller: hostOf(to.resource) }),
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

/** Where the money of a payment goes. A payout's address identifies nobody. */
export const paidToOf = ({ kind, to_address, recipient_email, recipient_phone, seller }: PaymentRow): PaidTo => ({
  address: kind === 'payout' ? null : to_address,
  email: recipient_email,
  phone: recipient_phone,
  seller,
})

function recipientOf(payment: PaymentRow): Recipient {
  const { to_type, contact_id, to_address, recipient_email, recipient_phone, resource } = payment
  if (to_type === 'x402') return { type: 'x402', address: to_address!, resource: resource! }
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
