import { accountAsks, deniedForMs, maxPending } from '#domain/approval.ts'
import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import type { Verdict } from '#domain/rules/rule.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { hourMs, isoOf } from '#domain/time.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
import { ok, type Refused, type Result, refuse } from '../../result.ts'
import { type Context, newId } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { newPaymentRefusal } from '../core/stop.ts'
import { toColumn } from '../core/storage/columns.ts'
import { newPayment, type Target } from '../core/storage/newPayment.ts'
import type { ApprovalRow, PaymentRow, WalletRow } from '../core/storage/rows.ts'
import { accountFull } from '../core/storage/store.ts'
import { audit } from '../ledger/audit.ts'
import { findReplay, type IdempotentRequest, idempotentRequest, remember } from '../ledger/idempotency.ts'
import { type TakenRates, takeRates } from '../limits/rates.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { insertOffer, type StoredOffer } from '../payments/purchases/offers.ts'
import { raisedLimit } from '../policies/budgets.ts'
import { type Caller, resolveCaller } from '../policies/paymentParties.ts'
import { sameRequest } from './approvalRules.ts'
import { endOverdue } from './end.ts'
import { notifyDeciders } from './notices.ts'
import type { BudgetRequestInput } from './rpcTypes.ts'

/** Why the owner is asked: the rule, and a sentence. */
type Asked = Pick<Verdict, 'rule' | 'message'>

/** An approval to create: for a payment or, if `payment` is null, for more budget for the caller's group. */
type NewApproval = {
  principal: Principal & { type: 'agent' }
  caller: Caller
  amount: MicroUsdc
  reason: string | null
  rules: Asked[]
  /** Of `mayAsk`. */
  rate: TakenRates
  payment: { terms: PaymentTerms; target: Target; offer?: StoredOffer | undefined } | null
}

/**
 * Whether the caller may ask its owner about a payment to this recipient, or about a budget if `to` is null; the rate is counted
 * once it is saved. A refusal is not recorded, so that an agent that asks in a loop cannot fill the object's storage.
 */
export function mayAsk(
  ctx: Context,
  { group, agent }: Caller,
  to: Target | null,
  amount: MicroUsdc,
): Refused | TakenRates {
  if (!group || !agent) throw new Error('only agents need approval')
  return (
    recentDenial(ctx, sameRequest(group.id, to, amount)) ??
    tooManyPending(ctx, agent.id) ??
    takeRates(ctx, [['approvals', agent.id]])
  )
}

/**
 * Stores the approval and notifies the owner. Nothing is reserved: other payments may use the budget while it waits. Called
 * inside the transaction that found that approval is needed.
 */
function ask(ctx: Context, approval: NewApproval, request: IdempotentRequest | null): ApprovalRow {
  const { store } = ctx
  const { principal, caller, amount, reason, rules, rate, payment } = approval
  const now = ctx.now()
  const { group, agent, policy } = caller
  if (!group || !agent || !policy) throw new Error('only agents need approval')
  endOverdue(ctx)
  rate.save()
  const id = newId(ctx, 'apr')
  const paymentId = payment && newId(ctx, 'pay')
  const expiresAt = now + policy.rules.approvalTtlHours * hourMs
  if (payment && paymentId)
    store.insert(
      'payment',
      newPayment(payment.terms, {
        id: paymentId,
        caller,
        target: payment.target,
        status: 'PENDING_APPROVAL',
        created_at: now,
        approval_id: id,
        request_key: request?.key ?? null,
      }),
    )
  if (payment?.offer) insertOffer(store, paymentId!, payment.offer)
  store.insert('approval', {
    id,
    kind: payment ? 'payment' : 'budget',
    status: 'PENDING',
    agent_id: agent.id,
    group_id: group.id,
    credential_hash: principal.credentialHash,
    payment_id: paymentId,
    amount: toColumn(amount),
    reason,
    rules: JSON.stringify(rules.map(({ rule, message }) => ({ rule, message }))),
    same_request: sameRequest(group.id, payment?.target ?? null, amount),
    asked_at: now,
    expires_at: expiresAt,
  })
  remember(store, request, payment ? 'payment' : 'budget_request', paymentId ?? id, now)
  audit(store, now, 'approval.requested', id, {
    by: agent.id,
    group: group.id,
    policyVersion: group.version,
    amount: formatUsdc(amount),
    ...(payment && { payment: paymentId, to: payment.target.address ?? payment.target.email ?? payment.target.phone }),
    rules: rules.map(({ rule }) => rule),
    expiresAt: isoOf(expiresAt),
  })
  if (paymentId) {
    recordChange(ctx, paymentId)
    sendPaymentEvent(ctx, 'approval.requested', paymentId, null)
  }
  notifyDeciders(ctx, id)
  ctx.schedule('approvals', expiresAt)
  return store.approval(id)!
}

function recentDenial({ store, now }: Context, same: string): Refused | null {
  const denied = store.first<{ at: number; payment_id: string | null }>(
    "SELECT ended_at AS at, payment_id FROM approval WHERE same_request = ? AND status = 'DENIED' AND ended_at > ? ORDER BY ended_at DESC LIMIT 1",
    same,
    now() - deniedForMs,
  )
  if (!denied) return null
  const resetsAt = isoOf(denied.at + deniedForMs)
  return {
    ...refuse('approval_denied', 'The owner denied this within the last 24 hours.'),
    refusal: {
      rule: 'approval.denied',
      next: `Do not ask for this again before ${resetsAt}.`,
      max_allowed_now: '0',
      resets_at: resetsAt,
      ...(denied.payment_id && { id: denied.payment_id }),
    },
  }
}

function tooManyPending({ store, now }: Context, agentId: string): Refused | null {
  const { own, all } = store.first<{ own: number; all: number }>(
    `SELECT count(*) FILTER (WHERE agent_id = ?) AS own, count(*) AS "all" FROM approval WHERE status = 'PENDING' AND expires_at > ?`,
    agentId,
    now(),
  )!
  const full =
    own >= maxPending.agent
      ? `This agent already has ${maxPending.agent} requests waiting for its owner.`
      : all >= maxPending.account
        ? `The agents of this account already have ${maxPending.account} requests waiting for their owner.`
        : null
  return full === null
    ? null
    : {
        ...refuse('approvals_full', full, { retryAfter: 60 }),
        refusal: {
          rule: 'approval.pending',
          next: 'Wait until the owner has decided, or cancel one that is no longer needed.',
          max_allowed_now: '0',
        },
      }
}

/** Requests more budget for the agent's group. The same key returns the same request in its current state. */
export function requestBudget(
  ctx: Context,
  { principal, key, amount, reason }: BudgetRequestInput,
): Result<{ row: ApprovalRow; replayed: boolean }> {
  const { store } = ctx
  return store.transaction((): Result<{ row: ApprovalRow; replayed: boolean }> => {
    const caller = resolveCaller(ctx, principal, null)
    if (!caller.ok) return caller
    if (principal.type !== 'agent' || !caller.value.group)
      return refuse('unprocessable', 'Only agents can ask for more budget.')
    const request = idempotentRequest(principal, key, ['budget', amount])
    const replay = findReplay(store, request)
    if (replay) {
      if (!replay.ok) return replay
      endOverdue(ctx)
      const row = ctx.store.approval(replay.value)
      return row ? ok({ row, replayed: true }) : refuse('approval_expired', 'This request ended long ago.')
    }
    if (store.isFull) return accountFull
    const stopped = newPaymentRefusal(ctx)
    if (stopped) return stopped
    const raised = raisedLimit(caller.value.group, amount)
    if (!raised.ok) return raised
    const rate = mayAsk(ctx, caller.value, null, amount)
    if (!rate.ok) return rate
    const rules = [{ rule: 'budget_request', message: accountAsks.budget_request }]
    const approval = { principal, caller: caller.value, amount, reason, rules, rate, payment: null }
    return ok({ row: ask(ctx, approval, request), replayed: false })
  })
}

type Requested = { principal: Principal; terms: PaymentTerms; reason?: string | null; offer?: StoredOffer | undefined }

/** Requests the owner's approval of a payment that every other rule allows. */
export function requestApproval(
  ctx: Context,
  input: Requested,
  { target, ...asked }: Pick<NewApproval, 'caller' | 'rules' | 'rate'> & { target: Target },
  request: IdempotentRequest | null,
): PaymentRow {
  if (input.principal.type !== 'agent') throw new Error('only agents need approval')
  const { principal, terms, reason = null, offer } = input
  const approval = { ...asked, principal, amount: terms.amount, reason, payment: { terms, target, offer } }
  return ctx.store.payment(ask(ctx, approval, request).payment_id!)!
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

const whyNotApproved = {
  approval_denied: 'The owner denied this payment.',
  approval_cancelled: 'This payment was cancelled before it was approved.',
  approval_expired: 'This payment was not approved in time.',
}

/** Why a payment was not approved. One that was deleted since counts as expired. */
function notApproved(id: string, errorCode: string): Refused {
  const code = errorCode === 'approval_denied' || errorCode === 'approval_cancelled' ? errorCode : 'approval_expired'
  return {
    ...refuse(code, whyNotApproved[code]),
    refusal: {
      rule: code.replace('_', '.'),
      next: 'Nothing was paid. If it is still needed, ask again with a new Idempotency-Key.',
      max_allowed_now: '0',
      id,
    },
  }
}

/** Whether the payment would now use a different wallet or recipient than the owner was shown. */
export const recipientChanged = (waiting: PaymentRow, wallet: WalletRow, target: Target): boolean =>
  waiting.wallet_id !== wallet.id ||
  !sameAddress(waiting.to_address ?? '', target.address ?? '') ||
  waiting.recipient_email !== target.email ||
  waiting.recipient_phone !== target.phone

export const contactChangedRefusal: Refused = {
  ...refuse('contact_changed', 'The contact’s payment details have changed since this was requested.'),
  refusal: {
    rule: 'whitelist.snapshot',
    next: 'Deny it, and let the agent ask again.',
    max_allowed_now: '0',
  },
}
