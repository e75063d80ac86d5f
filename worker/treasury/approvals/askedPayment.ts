import { approvalPath, cancelText } from '#domain/approval.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import { isoOf } from '#domain/time.ts'
import type { Payment } from '#schemas/payment.ts'
import type { Context } from '../context.ts'
import type { PaymentRow } from '../storage/rows.ts'
import { type ApprovalRow, approvalOfPayment, approvalRow, asOfNow } from './rows.ts'

/** A payment as agents and lists see it, including one that waits for approval or was not approved. */
export type ShownPayment = Omit<PaymentRow, 'status'> & { status: PaymentStatus | 'PENDING_APPROVAL' | 'EXPIRED' }

const outcomes: Record<
  Exclude<ApprovalRow['status'], 'APPROVED'>,
  { status: ShownPayment['status']; code: string | null; message: string | null }
> = {
  PENDING: { status: 'PENDING_APPROVAL', code: null, message: null },
  DENIED: { status: 'POLICY_REJECTED', code: 'approval_denied', message: 'The owner denied this payment.' },
  EXPIRED: { status: 'EXPIRED', code: 'approval_expired', message: 'The owner did not answer in time.' },
  CANCELLED: { status: 'CANCELLED', code: 'approval_cancelled', message: null },
}

/** The payment that an approval stands for. Null for budget requests, and once approved: then it has its own row. */
export function askedPayment(ctx: Context, stored: ApprovalRow): ShownPayment | null {
  const row = asOfNow(ctx, stored)
  if (row.payment_id === null || row.to_type === null || row.status === 'APPROVED') return null
  const { status, code, message } = outcomes[row.status]
  return {
    id: row.payment_id,
    kind: row.to_address === null ? 'payout' : 'send',
    wallet_id: row.wallet_id,
    group_id: row.group_id,
    agent_id: row.agent_id,
    policy_version: row.policy_version,
    to_type: row.to_type,
    to_address: row.to_address,
    contact_id: row.contact_id,
    contact_name: row.contact_name,
    recipient_email: row.email,
    recipient_phone: row.phone,
    amount: row.amount,
    memo: row.memo,
    status,
    error_code: code,
    error_message: row.cancelled === null ? message : `Cancelled before it was approved. ${cancelText(row.cancelled)}`,
    refusal: null,
    created_at: row.asked_at,
    signed_at: null,
    broadcast_at: null,
    confirmed_at: null,
    tx_hash: null,
    give_up_at: row.expires_at,
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
    approval_id: row.id,
    grant_id: null,
    request_key: null,
  }
}

/** The payment with this id, including one that only exists as an approval. */
export function shownPayment(ctx: Context, id: string): ShownPayment | null {
  const payment = ctx.store.payment(id)
  if (payment) return payment
  const approval = approvalOfPayment(ctx, id)
  return approval && askedPayment(ctx, approval)
}

const endedAt = ({ ended_at }: ApprovalRow) => isoOf(ended_at)

export const referenceOf = (ctx: Context, row: ApprovalRow) => ({
  id: row.id,
  status: asOfNow(ctx, row).status,
  requested_at: isoOf(row.asked_at),
  decided_at: endedAt(asOfNow(ctx, row)),
  expires_at: isoOf(row.expires_at),
  url: `${ctx.env.APP_ORIGIN}${approvalPath(row.id)}`,
})

/** The payment's approval as shown to agents. Null if it has none. */
export function approvalReference(ctx: Context, { approval_id, epoch }: ShownPayment): Payment['approval'] {
  const row = approval_id === null ? null : approvalRow(ctx, approval_id)
  if (!row) return null
  // Only a payment with its own row has an epoch. It is approved, even while the approving transaction still runs.
  return epoch === null ? referenceOf(ctx, row) : { ...referenceOf(ctx, row), status: 'APPROVED' }
}
