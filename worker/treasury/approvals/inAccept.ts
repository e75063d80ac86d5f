import type { AskedRule } from '#domain/approval.ts'
import { ok, type Refused, type Result, refuse } from '../../result.ts'
import type { PayInput } from '../api.ts'
import type { Context } from '../context.ts'
import type { IdempotentRequest } from '../ledger/idempotency.ts'
import type { Accepted, Asked } from '../payments/accepted.ts'
import type { Caller, Target } from '../payments/paymentParties.ts'
import type { WalletRow } from '../storage/rows.ts'
import { ask } from './ask.ts'
import { endOverdue } from './end.ts'
import { type ApprovalRow, approvalOfPayment, type GrantRow } from './rows.ts'

/** The parts of approvals that accept.ts uses. */

export const notAsked: { rules: AskedRule[]; grant: GrantRow | null } = { rules: [], grant: null }

/** Requests the owner's approval of a payment that every other rule allows. */
export function askFirst(
  ctx: Context,
  { input, caller, target, rules }: { input: PayInput; caller: Caller; target: Target; rules: AskedRule[] },
  request: IdempotentRequest | null,
): Result<Asked> {
  if (input.principal.type !== 'agent') throw new Error('only agents need approval')
  const approval = { principal: input.principal, caller, amount: input.amount, reason: input.reason ?? null, rules }
  const asked = ask(ctx, { ...approval, payment: { input, target } }, request)
  return asked.ok ? ok({ asked: asked.value, replayed: false }) : asked
}

/** The result of an earlier request with this key: a payment, a pending approval, or how the approval ended. */
export function replayOf(ctx: Context, paymentId: string): Result<Accepted | Asked> {
  const payment = ctx.store.payment(paymentId)
  if (payment) return ok({ payment, replayed: true })
  endOverdue(ctx)
  const approval = approvalOfPayment(ctx, paymentId)
  return approval?.status === 'PENDING' ? ok({ asked: approval, replayed: true }) : ended(paymentId, approval)
}

/** `approval` is null if it ended so long ago that it has been deleted. */
function ended(paymentId: string, approval: ApprovalRow | null): Refused {
  const [code, message, rule] =
    approval?.status === 'DENIED'
      ? (['approval_denied', 'The owner denied this payment.', 'approval.denied'] as const)
      : approval?.status === 'CANCELLED'
        ? (['approval_cancelled', 'This payment was cancelled before it was approved.', 'approval.cancelled'] as const)
        : (['approval_expired', 'This payment was not approved in time.', 'approval.expired'] as const)
  return {
    ...refuse(code, message),
    refusal: {
      rule,
      next: 'Nothing was paid. If it is still needed, ask again with a new Idempotency-Key.',
      max_allowed_now: '0',
      id: paymentId,
    },
  }
}

/** Whether the payment would now use a different wallet or recipient than the owner was shown. */
export const hasMoved = (approved: ApprovalRow, wallet: WalletRow, target: Target): boolean =>
  approved.wallet_id !== wallet.id ||
  (approved.to_address ?? '').toLowerCase() !== (target.address ?? '').toLowerCase() ||
  approved.email !== target.email ||
  approved.phone !== target.phone

export const contactMoved: Refused = {
  ...refuse('contact_changed', 'The contact’s payment details have changed since this was requested.'),
  refusal: {
    rule: 'whitelist.snapshot',
    next: 'Deny it, and let the agent ask again.',
    max_allowed_now: '0',
  },
}
