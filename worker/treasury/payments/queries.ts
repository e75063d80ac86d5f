import type { Transaction } from '#schemas/transaction.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { PaymentCursor, Principal } from '../api.ts'
import { askedPayment, type ShownPayment, shownPayment } from '../approvals/askedPayment.ts'
import type { ApprovalRow } from '../approvals/rows.ts'
import type { Context } from '../context.ts'
import { companionView } from '../payouts/views.ts'
import type { PaymentRow } from '../storage/rows.ts'
import { transactionView } from './views.ts'

/** The payment, if the principal may see it. Another agent's payment is not found. */
export function findShown(ctx: Context, principal: Principal, id: string): Result<ShownPayment> {
  const payment = shownPayment(ctx, id)
  if (!payment || (principal.type === 'agent' && payment.agent_id !== principal.agentId)) return notFound('Payment')
  return ok(payment)
}

/** An agent's payments, newest first; `after` is the last row of the previous page. */
export function pageOfPayments(
  ctx: Context,
  agentId: string,
  limit: number,
  after: PaymentCursor | null,
): { rows: ShownPayment[]; last: PaymentCursor | null; more: boolean } {
  const from = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' }
  const page = [agentId, from.createdAt, from.id, limit + 1] as const
  const payments = ctx.store.all<PaymentRow>(
    'SELECT * FROM payment WHERE agent_id = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?',
    ...page,
  )
  const asked = ctx.store.all<ApprovalRow>(
    `SELECT * FROM approval WHERE agent_id = ? AND (asked_at, payment_id) < (?, ?) AND status <> 'APPROVED' AND kind = 'payment'
     ORDER BY asked_at DESC, payment_id DESC LIMIT ?`,
    ...page,
  )
  const found = [...payments, ...asked.flatMap((row) => askedPayment(ctx, row) ?? [])]
    .sort(newestFirst)
    .slice(0, limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, last: last ? { createdAt: last.created_at, id: last.id } : null, more: found.length > limit }
}

const newestFirst = (a: ShownPayment, b: ShownPayment) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)

/** A row of the transaction list: a payment, or the `{payout}:withdraw` or `{payout}:reclaim` that ended a payout. */
export function findTransaction(ctx: Context, id: string): Result<Transaction> {
  const { store } = ctx
  const [paymentId = '', companion] = id.split(':')
  const payment = store.payment(paymentId)
  if (companion === undefined) {
    const shown = payment ?? shownPayment(ctx, paymentId)
    return shown ? ok(transactionView(store, shown)) : notFound('Transaction')
  }
  if (!payment) return notFound('Transaction')
  const payout = store.payout(paymentId)
  const view = payout && companionView(store, payment, payout)
  return view?.id === id ? ok(view) : notFound('Transaction')
}
