import type { MoneyState, PaymentMethod } from '#domain/figures.ts'
import { chainNameOf } from '#domain/networks.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import type { Counted } from '../../../history/api.ts'
import { paidToOf } from '../../core/storage/newPayment.ts'
import { recipientText } from '../../core/storage/paidRecipients.ts'
import type { PaymentRow, PayoutRow } from '../../core/storage/rows.ts'
import { spentAtOf } from '../../core/storage/spentSums.ts'
import { statuses } from '../../core/storage/statuses.ts'
import type { Store } from '../../core/storage/store.ts'

const isIn = <Status extends string>(list: readonly Status[], status: string) => list.includes(status as Status)

/** Null for a payment that waits for approval, or was not approved: it is in no statistics. */
export function countedOf(store: Store, payment: PaymentRow, payout: PayoutRow | null): Counted | null {
  const { accepted_at, refusal, status } = payment
  if (accepted_at === null && refusal === null) return null
  return {
    chain: chainNameOf(store.wallet(payment.wallet_id)!.chain_id),
    walletId: payment.wallet_id,
    at: accepted_at ?? payment.created_at,
    amount: payment.amount,
    state: stateOf(payment, payout),
    method: payment.to_type as PaymentMethod,
    spentAt: spentAtOf(payment, payout),
    recipient: isIn<PaymentStatus>(statuses.alive, status) ? recipientOf(payment) : null,
  }
}

function stateOf({ status }: PaymentRow, payout: PayoutRow | null): MoneyState {
  switch (status) {
    case 'QUEUED':
    case 'PROCESSING':
      return payout === null ? 'held' : 'creating'
    case 'PENDING':
    case 'PENDING_APPROVAL': // counted once it was approved
      return 'unclaimed'
    case 'CONFIRMED':
      return 'confirmed'
    case 'CANCELLED':
      if (payout?.status !== 'RECLAIMED') return 'failed'
      return payout.returned_block === null ? 'returned' : 'returning'
    case 'FAILED':
      return 'failed'
    case 'POLICY_REJECTED':
    case 'VALIDATION_FAILED':
      return 'refused'
  }
}

/** The same for all payments to one recipient. Null if it is not known where the money would have gone. */
export const recipientKey = (payment: PaymentRow): string | null =>
  (payment.seller === null ? null : recipientText(paidToOf(payment))) ??
  payment.contact_id ??
  payment.recipient_email ??
  payment.recipient_phone ??
  payment.to_address?.toLowerCase() ??
  null

function recipientOf(payment: PaymentRow): Counted['recipient'] {
  const { contact_id, contact_name, recipient_email, recipient_phone, to_address, seller } = payment
  const address = recipient_email ?? recipient_phone ?? to_address
  if (address === null) return null
  return { key: recipientKey(payment)!, contactId: contact_id, name: contact_name ?? seller, address }
}
