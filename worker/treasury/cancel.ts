import { formatUsdc } from '../domain/money.ts'
import { nextPayment } from '../domain/payment.ts'
import type { Result } from '../errors.ts'
import { audit } from './audit.ts'
import type { Context } from './context.ts'
import { release } from './ledger.ts'
import { changed } from './outbox.ts'
import { movePayout } from './payouts.ts'
import type { PaymentRow } from './store.ts'

const notSent = (why: string) => `Not sent: ${why} before it was signed. The amount is available again.`
/** Why a payment that nobody signed ends: its error's code and text. */
const reasons = {
  cancelled: 'Cancelled before it was sent. The amount is available again.',
  agent_paused: notSent('the agent was paused'),
  group_paused: notSent('the policy group was paused'),
  wallet_paused: notSent('the wallet was paused'),
  account_paused: notSent('all agents were paused'),
  agent_deleted: notSent('the agent was deleted'),
  group_deleted: notSent('the policy group was deleted'),
}
export type StopCode = keyof typeof reasons

/**
 * Ends a payment that was never signed and releases its reservation, once: nothing can ever move for it. False when it
 * is signed or over already. Inside a transaction.
 */
export function stopUnsigned(ctx: Context, payment: PaymentRow, why: StopCode): boolean {
  const { store } = ctx
  const event = why === 'cancelled' ? 'cancelled' : 'dead'
  const status = nextPayment(payment.status, event)
  if (payment.status !== 'QUEUED' || payment.sig_version !== 0 || status === null) return false
  const stopped = store.run(
    "UPDATE payment SET status = ?, error_code = ?, error_message = ? WHERE id = ? AND status = 'QUEUED' AND sig_version = 0",
    status,
    why,
    reasons[why],
    payment.id,
  )
  if (stopped === 0) return false
  release(store, payment)
  audit(store, ctx.now(), event === 'cancelled' ? 'payment.cancelled' : 'payment.failed', payment.id, {
    why,
    amount: formatUsdc(BigInt(payment.amount)),
  })
  changed(ctx, 'payment', payment.id)
  const payout = payment.kind === 'payout' ? store.payout(payment.id) : null
  if (payout) movePayout(ctx, payout, 'dead')
  return true
}

/** What is queued and unsigned where `column` is `id` ends now; what is signed runs to its end. Inside a transaction. */
export function stopQueued(
  ctx: Context,
  where: { column: 'agent_id' | 'group_id' | 'wallet_id'; id: string } | 'all agents',
  why: StopCode,
): number {
  const queued = ctx.store.all<PaymentRow>("SELECT * FROM payment WHERE status = 'QUEUED' AND sig_version = 0")
  const meant =
    where === 'all agents'
      ? queued.filter((payment) => payment.agent_id !== null)
      : queued.filter((payment) => payment[where.column] === where.id)
  return meant.filter((payment) => stopUnsigned(ctx, payment, why)).length
}

/** POST /v1/payments/{id}/cancel: possible until it is signed. A repeat answers the same. */
export function cancelPayment(ctx: Context, id: string, mine: (payment: PaymentRow) => boolean): Result<PaymentRow> {
  const { store } = ctx
  return store.transaction((): Result<PaymentRow> => {
    const payment = store.payment(id)
    if (!payment || !mine(payment)) return { ok: false, code: 'not_found', message: 'Payment not found.' }
    if (payment.status === 'CANCELLED' && payment.error_code === 'cancelled') return { ok: true, value: payment }
    if (!stopUnsigned(ctx, payment, 'cancelled'))
      return {
        ok: false,
        code: 'conflict',
        message:
          payment.status === 'PROCESSING'
            ? 'This payment is signed and on its way; it can no longer be cancelled.'
            : `This payment is ${payment.status} and can no longer be cancelled.`,
      }
    return { ok: true, value: store.payment(id)! }
  })
}
