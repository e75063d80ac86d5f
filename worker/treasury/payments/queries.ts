import type { Transaction } from '#schemas/transaction.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { PaymentCursor, Principal } from '../api.ts'
import { companionView } from '../payouts/views.ts'
import type { PaymentRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'
import { transactionView } from './views.ts'

/** The payment if it is the principal's own; another agent's id is not found. */
export function findPayment(store: Store, principal: Principal, id: string): Result<PaymentRow> {
  const payment = store.payment(id)
  if (!payment || (principal.type === 'agent' && payment.agent_id !== principal.agentId)) return notFound('Payment')
  return ok(payment)
}

/** An agent's payments, newest first; `after` is the last row of the page before. */
export function pageOfPayments(
  store: Store,
  agentId: string,
  limit: number,
  after: PaymentCursor | null,
): { rows: PaymentRow[]; last: PaymentCursor | null; more: boolean } {
  const from = after ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' }
  const found = store.all<PaymentRow>(
    'SELECT * FROM payment WHERE agent_id = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?',
    agentId,
    from.createdAt,
    from.id,
    limit + 1,
  )
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, last: last ? { createdAt: last.created_at, id: last.id } : null, more: found.length > limit }
}

/** A row of the transaction list: a payment, or the `{payout}:withdraw` or `{payout}:reclaim` that ended a payout. */
export function findTransaction(store: Store, id: string): Result<Transaction> {
  const [paymentId = '', companion] = id.split(':')
  const payment = store.payment(paymentId)
  if (!payment) return notFound('Transaction')
  if (companion === undefined) return ok(transactionView(store, payment))
  const payout = store.payout(paymentId)
  const view = payout && companionView(store, payment, payout)
  return view?.id === id ? ok(view) : notFound('Transaction')
}
