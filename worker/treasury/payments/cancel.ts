import { kindOf } from '#domain/kinds/kinds.ts'
import { nextPayment } from '#domain/payment.ts'
import { ok, type Result, refuse } from '../../result.ts'
import { endApproval } from '../approvals/end.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { PaymentRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { release } from '../ledger/ledger.ts'
import { releaseGas } from '../limits/gas.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { movePayout } from './payouts/transitions.ts'
import { findPayment } from './queries.ts'

const notSent = (why: string) => `Not sent: ${why} before it was signed. The amount is available again.`
/** Error codes and messages of payments that end unsigned. */
const reasons = {
  cancelled: 'Cancelled before it was sent. The amount is available again.',
  agent_paused: notSent('the agent was paused'),
  group_paused: notSent('the policy group was paused'),
  wallet_paused: notSent('the wallet was paused'),
  account_paused: notSent('all agents were paused'),
  account_suspended: notSent('the operator suspended the account'),
  agent_deleted: notSent('the agent was deleted'),
  group_deleted: notSent('the policy group was deleted'),
  account_restored: notSent('the account was restored from a backup'),
}
export type StopCode = keyof typeof reasons
/** How a payment ends that was not signed when its account was restored. */
export const restored = {
  status: 'FAILED',
  error_code: 'account_restored',
  error_message: reasons.account_restored,
} as const

/**
 * Ends a payment that was never signed, so that no money can ever move for it, and releases its reservation. Returns false
 * if it is signed or has already ended. Call inside a transaction.
 */
export function stopUnsigned(ctx: Context, payment: PaymentRow, why: StopCode): boolean {
  const { store } = ctx
  const event = why === 'cancelled' ? 'cancelled' : 'dead'
  const status = nextPayment(payment.status, event)
  if (payment.status !== 'QUEUED' || payment.sig_version !== 0 || status === null) return false
  const ended = { status, error_code: why, error_message: reasons[why] }
  if (!store.update('payment', payment.id, ended, { status: 'QUEUED', sig_version: 0 })) return false
  release(store, payment, ctx.now())
  releaseGas(ctx, payment)
  const name = event === 'cancelled' ? 'payment.cancelled' : 'payment.failed'
  audit(store, ctx.now(), name, payment.id, { why, amount: formatColumn(payment.amount) })
  recordChange(ctx, payment.id)
  sendPaymentEvent(ctx, name, payment.id, payment.status)
  const payout = kindOf(payment).transfer === 'funded' ? store.payout(payment.id) : null
  if (payout) movePayout(ctx, payout, 'dead')
  return true
}

type StopWhere = { column: 'agent_id' | 'group_id' | 'wallet_id'; id: string } | 'all agents' | 'all'

const matches = (payment: PaymentRow, where: StopWhere): boolean => {
  if (where === 'all') return true
  return where === 'all agents' ? payment.agent_id !== null : payment[where.column] === where.id
}

/** Ends the matching unsigned payments and returns how many; signed ones run to completion. Call inside a transaction. */
export function stopQueued(ctx: Context, where: StopWhere, why: StopCode): number {
  const queued = ctx.store.all<PaymentRow>("SELECT * FROM payment WHERE status = 'QUEUED' AND sig_version = 0")
  return queued.filter((payment) => matches(payment, where) && stopUnsigned(ctx, payment, why)).length
}

const cancelledCodes: readonly (string | null)[] = ['cancelled', 'approval_cancelled']

/** POST /v1/payments/{id}/cancel: possible until the payment is signed. Cancelling twice returns the same payment. */
export function cancelPayment(ctx: Context, principal: Principal, id: string): Result<PaymentRow> {
  const { store } = ctx
  return store.transaction((): Result<PaymentRow> => {
    const found = findPayment(ctx, principal, id)
    if (!found.ok) return found
    const payment = found.value
    if (payment.status === 'CANCELLED' && cancelledCodes.includes(payment.error_code)) return found
    const isCancelled =
      payment.status === 'PENDING_APPROVAL'
        ? endApproval(ctx, ctx.store.approval(payment.approval_id!)!, 'cancel', { cancelled: 'agent' })
        : stopUnsigned(ctx, payment, 'cancelled')
    if (!isCancelled)
      return refuse(
        'conflict',
        payment.status === 'PROCESSING'
          ? 'This payment is signed and on its way; it can no longer be cancelled.'
          : `This payment is ${payment.status} and can no longer be cancelled.`,
      )
    return ok(store.payment(id)!)
  })
}
