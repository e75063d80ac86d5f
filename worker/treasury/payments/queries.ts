import type { RowCursor } from '#domain/lists.ts'
import { filterNames } from '#domain/paymentNotes.ts'
import { repeatMs } from '#domain/sendRules.ts'
import { isoOf } from '#domain/time.ts'
import type { RecipientHistory, Transaction } from '#schemas/transaction.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import { notFound, ok, type Result } from '../../result.ts'
import { paidTo } from '../approvals/approvalRules.ts'
import { endOverdue } from '../approvals/end.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { toColumn } from '../core/storage/columns.ts'
import { lookAlikeOf, paymentsTo } from '../core/storage/paidRecipients.ts'
import type { PaymentRow } from '../core/storage/rows.ts'
import { listedAt, statusIn } from '../core/storage/statuses.ts'
import { findMovement, movementView } from './movements.ts'
import { isUnused } from './recipients.ts'
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

/** A row of the transaction list: a payment, a deposit or withdrawal, or the `{payout}:withdraw` or `{payout}:reclaim` that ended a payout. */
export function findTransaction(ctx: Context, id: string): Result<Transaction> {
  const { store } = ctx
  const movement = findMovement(store, id)
  if (movement) return ok(movementView(store, movement))
  const [paymentId = '', companion] = id.split(':')
  const payment = currentPayment(ctx, paymentId)
  if (!payment) return notFound('Transaction')
  if (companion === undefined) return ok(transactionView(store, payment))
  const payout = store.payout(paymentId)
  const view = payout && companionView(store, payment, payout)
  return view?.id === id ? ok(view) : notFound('Transaction')
}

/** What a sender should know before paying: a first payment, a repeat within minutes, or a look-alike of a known address. */
export async function recipientHistory(ctx: Context, input: RecipientInput): Promise<RecipientHistory> {
  const history = earlierPayments(ctx, input)
  const { toAddress, walletId = '' } = input
  const chainId = ctx.store.wallet(walletId)?.chain_id ?? primaryChain(ctx.env)
  const isFirst = toAddress !== undefined && history.payments === 0
  return { ...history, unused: isFirst ? await isUnused(ctx, chainId, toAddress, null) : null }
}

function earlierPayments({ store, now }: Context, input: RecipientInput): Omit<RecipientHistory, 'unused'> {
  const { toAddress: address = null, recipientEmail: email = null, recipientPhone: phone = null } = input
  const to = { address, email, phone, seller: null }
  const { payments, last_at } = paymentsTo(store, to, null)
  const [where, ...values] = paidTo(to)
  const same = store.first<{ at: number }>(
    `SELECT accepted_at AS at FROM payment WHERE ${where} AND amount = ? AND accepted_at > ?
       AND status IN ${statusIn.alive} ORDER BY accepted_at DESC LIMIT 1`,
    ...values,
    toColumn(input.amount),
    now() - repeatMs,
  )
  return {
    payments,
    lastPaidAt: isoOf(last_at),
    sameAmountAt: isoOf(same?.at ?? null),
    lookAlike: address && lookAlikeOf(store, address),
  }
}
