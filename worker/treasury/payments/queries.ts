import type { RowCursor } from '#domain/listCursor.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { notFound, ok, type Result } from '../../result.ts'
import { endOverdue } from '../approvals/end.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { PaymentRow } from '../storage/rows.ts'
import { listedAt } from '../storage/statuses.ts'
import type { PaymentsInput } from './rpcTypes.ts'
import { companionView, transactionView } from './views.ts'

/** The payment as it is now: one that waited too long for approval has expired. */
function currentPayment(ctx: Context, id: string): PaymentRow | null {
  endOverdue(ctx)
  return ctx.store.payment(id)
}

/** The payment, if the principal may see it. Another agent's payment is not found. */
export function findPayment(ctx: Context, principal: Principal, id: string): Result<PaymentRow> {
  const payment = currentPayment(ctx, id)
  if (!payment || (principal.type === 'agent' && payment.agent_id !== principal.agentId)) return notFound('Payment')
  return ok(payment)
}

/** An agent's payments, newest first. `next` is null on the last page. */
export function pageOfPayments(
  ctx: Context,
  agentId: string,
  { limit, after, reference }: PaymentsInput,
): { rows: PaymentRow[]; next: RowCursor | null } {
  endOverdue(ctx)
  const from = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  const [hasReference, ...values] = reference === null ? ['1'] : ['reference = ?', reference]
  const found = ctx.store.all<PaymentRow & { at: number }>(
    `SELECT *, ${listedAt} AS at FROM payment WHERE agent_id = ? AND (${listedAt}, id) < (?, ?) AND ${hasReference}
     ORDER BY ${listedAt} DESC, id DESC LIMIT ?`,
    agentId,
    from.at,
    from.id,
    ...values,
    limit + 1,
  )
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: last && found.length > limit ? { at: last.at, id: last.id } : null }
}

/** A row of the transaction list: a payment, or the `{payout}:withdraw` or `{payout}:reclaim` that ended a payout. */
export function findTransaction(ctx: Context, id: string): Result<Transaction> {
  const { store } = ctx
  const [paymentId = '', companion] = id.split(':')
  const payment = currentPayment(ctx, paymentId)
  if (!payment) return notFound('Transaction')
  if (companion === undefined) return ok(transactionView(store, payment))
  const payout = store.payout(paymentId)
  const view = payout && companionView(store, payment, payout)
  return view?.id === id ? ok(view) : notFound('Transaction')
}
