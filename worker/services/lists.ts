import { type ListQuery, pageOf, payoutsOf, sliceOf, transactionsOf } from '../db/lists.ts'
import { type Cell, csvLine } from '../domain/csv.ts'
import { parseUsdc } from '../domain/money.ts'
import type { Env } from '../env.ts'
import type { Escrow } from '../schemas/escrow.ts'
import type { PayoutFilter, TransactionFilter } from '../schemas/lists.ts'
import type { Transaction } from '../schemas/transaction.ts'

type Paging = { page: number; pageSize: number }
/** Rows of an export are read in pieces of this size. */
const pieceSize = 500
const mostRows = 100_000

/** A user's lists come from D1, which is told first what just happened. */
async function current(env: Env, userId: string): Promise<D1Database> {
  await env.TREASURY.getByName(userId).projected()
  return env.DB
}

export async function listTransactions(
  env: Env,
  userId: string,
  { page, pageSize, ...filter }: TransactionFilter & Paging,
) {
  return pageOf<Transaction>(await current(env, userId), transactionsOf(userId, filter), { page, pageSize })
}

export async function listPayouts(env: Env, userId: string, { page, pageSize, ...filter }: PayoutFilter & Paging) {
  return pageOf<Escrow>(await current(env, userId), payoutsOf(userId, filter), { page, pageSize })
}

/** CSV of everything that the filter finds, newest first; times in UTC, amounts in USDC and in micro-USDC. */
export async function exportTransactions(env: Env, userId: string, filter: TransactionFilter): Promise<Response> {
  return csv<Transaction>(await current(env, userId), transactionsOf(userId, filter), 'bursar-transactions.csv', [
    ['Created (UTC)', (row) => row.createdAt],
    ['ID', (row) => row.id],
    ['Type', (row) => row.category],
    ['Status', (row) => row.status],
    ['Amount (USDC)', (row) => row.amountUsdc],
    ['Amount (micro-USDC)', (row) => micro(row.amountUsdc)],
    ['Sender', (row) => row.agent?.name ?? 'User'],
    ['From wallet', (row) => row.fromWallet?.address ?? null],
    ['Chain', (row) => row.fromWalletChain],
    ['Contact', (row) => row.contact?.name ?? null],
    ['To address', (row) => row.toAddress],
    ['To email', (row) => row.recipientEmail],
    ['To phone', (row) => row.recipientPhone],
    ['Memo', (row) => row.memo],
    ['Error', (row) => row.errorMessage],
    ['Transaction hash', (row) => row.txHash],
    ['Confirmed (UTC)', (row) => row.timeline.confirmedAt],
    ['Payout ID', (row) => row.escrowId],
  ])
}

export async function exportPayouts(env: Env, userId: string, filter: PayoutFilter): Promise<Response> {
  return csv<Escrow>(await current(env, userId), payoutsOf(userId, filter), 'bursar-payouts.csv', [
    ['Created (UTC)', (row) => row.createdAt],
    ['ID', (row) => row.id],
    ['Status', (row) => row.status],
    ['Amount (USDC)', (row) => row.amount],
    ['Amount (micro-USDC)', (row) => micro(row.amount)],
    ['Recipient email', (row) => row.recipientEmail],
    ['Recipient phone', (row) => row.recipientPhone],
    ['Memo', (row) => row.memo],
    ['Source wallet', (row) => row.sourceWallet?.address ?? null],
    ['Sender', (row) => row.agent?.name ?? 'User'],
    ['Expires (UTC)', (row) => row.expiresAt],
    ['Withdrawn (UTC)', (row) => row.withdrawnAt],
    ['Withdrawn to', (row) => row.withdrawnToAddress],
    ['Funding transaction', (row) => row.fundingTxHash],
    ['Newest transaction', (row) => row.txHash],
  ])
}

const micro = (text: string): string => String(parseUsdc(text) ?? '')

/** Streamed, so that a long history needs no memory. */
function csv<Row extends Transaction | Escrow>(
  db: D1Database,
  query: ListQuery,
  name: string,
  columns: readonly [header: string, cell: (row: Row) => Cell][],
): Response {
  const encoder = new TextEncoder()
  let offset = 0
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // The mark tells spreadsheets that this is UTF-8.
      controller.enqueue(encoder.encode(`\uFEFF${csvLine(columns.map(([header]) => header))}`))
    },
    async pull(controller) {
      const rows = await sliceOf<Row>(db, query, pieceSize, offset)
      offset += rows.length
      const lines = rows.map((row) => csvLine(columns.map(([, cell]) => cell(row))))
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.join('')))
      if (rows.length < pieceSize || offset >= mostRows) controller.close()
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="${name}"` },
  })
}
