import type { RowCursor } from '#domain/lists.ts'
import { filterNames } from '#domain/paymentNotes.ts'
import { looksLike, repeatMs } from '#domain/sendRules.ts'
import { isoOf } from '#domain/time.ts'
import type { RecipientHistory, Transaction } from '#schemas/transaction.ts'
import { notFound, ok, type Result } from '../../result.ts'
import { endOverdue } from '../approvals/end.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { toColumn } from '../storage/columns.ts'
import type { PaymentRow } from '../storage/rows.ts'
import { listedAt, statusIn } from '../storage/statuses.ts'
import type { PaymentsInput, RecipientInput } from './rpcTypes.ts'
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
  { limit, after, filters }: PaymentsInput,
): { rows: PaymentRow[]; next: RowCursor | null } {
  endOverdue(ctx)
  const from = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  const asked = filterNames.flatMap((name) => (filters[name] ? [[` AND ${name} = ?`, filters[name]] as const] : []))
  const found = ctx.store.all<PaymentRow & { at: number }>(
    `SELECT *, ${listedAt} AS at FROM payment WHERE agent_id = ? AND (${listedAt}, id) < (?, ?)${asked.map(([condition]) => condition).join('')}
     ORDER BY ${listedAt} DESC, id DESC LIMIT ?`,
    agentId,
    from.at,
    from.id,
    ...asked.map(([, value]) => value),
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

/** The plus keeps SQLite off the status index, where nearly all rows match. */
const isAlive = `+status IN ${statusIn.alive}`

/** What a sender should know before paying: a first payment, a repeat within minutes, or a look-alike of a known address. */
export function recipientHistory({ store, now }: Context, input: RecipientInput): RecipientHistory {
  const { toAddress, recipientEmail, recipientPhone } = input
  const [where, value] = toAddress
    ? ["kind = 'send' AND to_address = ? COLLATE NOCASE", toAddress]
    : recipientEmail
      ? ['recipient_email = ?', recipientEmail]
      : ['recipient_phone = ?', recipientPhone ?? '']
  const known = store.first<{ payments: number; last_at: number | null; same_at: number | null }>(
    `SELECT count(*) AS payments, max(accepted_at) AS last_at, max(CASE WHEN amount = ? AND accepted_at > ? THEN accepted_at END) AS same_at
     FROM payment WHERE ${where} AND ${isAlive}`,
    toColumn(input.amount),
    now() - repeatMs,
    value,
  )!
  return {
    payments: known.payments,
    lastPaidAt: isoOf(known.last_at),
    sameAmountAt: isoOf(known.same_at),
    lookAlike: toAddress ? lookAlikeOf(store, toAddress) : null,
  }
}

/** A paid address that looks like this one. Addresses with the same beginning are neighbors in the index. */
function lookAlikeOf(store: Context['store'], address: string): string | null {
  const start = address.slice(0, 5)
  const rows = store.all<{ to_address: string }>(
    `SELECT DISTINCT to_address FROM payment
     WHERE to_address >= ? COLLATE NOCASE AND to_address < ? COLLATE NOCASE AND kind = 'send' AND ${isAlive}`,
    start,
    `${start}g`, // past every hex digit
  )
  return rows.find((row) => looksLike(row.to_address, address))?.to_address ?? null
}
