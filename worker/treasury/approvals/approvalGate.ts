import type { AskedRule } from '#domain/approval.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
import { ok, type Refused, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { IdempotentRequest } from '../ledger/idempotency.ts'
import type { Caller } from '../policies/paymentParties.ts'
import type { Target } from '../storage/newPayment.ts'
import type { GrantRow, PaymentRow, WalletRow } from '../storage/rows.ts'
import { ask } from './ask.ts'
import { endOverdue } from './end.ts'

/** What the decision about a payment needs to know of approvals. */

type Requested = { principal: Principal; terms: PaymentTerms; reason?: string | null }

export const noRules: { rules: AskedRule[]; grant: GrantRow | null } = { rules: [], grant: null }

/** Requests the owner's approval of a payment that every other rule allows. */
export function requestApproval(
  ctx: Context,
  input: Requested,
  { caller, target, rules }: { caller: Caller; target: Target; rules: AskedRule[] },
  request: IdempotentRequest | null,
): Result<PaymentRow> {
  if (input.principal.type !== 'agent') throw new Error('only agents need approval')
  const { principal, terms, reason = null } = input
  const asked = ask(
    ctx,
    { principal, caller, amount: terms.amount, reason, rules, payment: { terms, target } },
    request,
  )
  return asked.ok ? ok(ctx.store.payment(asked.value.payment_id!)!) : asked
}

/** The result of an earlier request with this key: a payment, one that waits for approval, or why it was not approved. */
export function replayOf(ctx: Context, paymentId: string): Result<PaymentRow> {
  const found = ctx.store.payment(paymentId)
  if (found && found.accepted_at !== null) return ok(found)
  endOverdue(ctx)
  const payment = ctx.store.payment(paymentId)
  if (payment?.status === 'PENDING_APPROVAL') return ok(payment)
  return notApproved(paymentId, payment?.error_code ?? 'approval_expired')
}

/** Why a payment was not approved. One that was deleted since counts as expired. */
function notApproved(id: string, errorCode: string): Refused {
  const [code, message, rule] =
    errorCode === 'approval_denied'
      ? (['approval_denied', 'The owner denied this payment.', 'approval.denied'] as const)
      : errorCode === 'approval_cancelled'
        ? (['approval_cancelled', 'This payment was cancelled before it was approved.', 'approval.cancelled'] as const)
        : (['approval_expired', 'This payment was not approved in time.', 'approval.expired'] as const)
  return {
    ...refuse(code, message),
    refusal: {
      rule,
      next: 'Nothing was paid. If it is still needed, ask again with a new Idempotency-Key.',
      max_allowed_now: '0',
      id,
    },
  }
}

/** Whether the payment would now use a different wallet or recipient than the owner was shown. */
export const hasMoved = (waiting: PaymentRow, wallet: WalletRow, target: Target): boolean =>
  waiting.wallet_id !== wallet.id ||
  !sameAddress(waiting.to_address ?? '', target.address ?? '') ||
  waiting.recipient_email !== target.email ||
  waiting.recipient_phone !== target.phone

export const contactMoved: Refused = {
  ...refuse('contact_changed', 'The contact’s payment details have changed since this was requested.'),
  refusal: {
    rule: 'whitelist.snapshot',
    next: 'Deny it, and let the agent ask again.',
    max_allowed_now: '0',
  },
}
