import { and, count, desc, eq, gte, inArray, isNull, like, lt, lte, notLike, or, type SQL, sql } from 'drizzle-orm'
import { transactionStatusGroups } from '#domain/listFilters.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { PayoutFilter, TransactionFilter } from '#schemas/lists.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Db } from './d1.ts'
import { payoutView, transactionView } from './schema.ts'

/**
 * Pages of the read model. One user's rows are read along the index by time, and filters apply to those rows only; a test
 * checks SQLite's query plan.
 */

type View = typeof transactionView | typeof payoutView
export type ListQuery = { view: View; where: SQL | undefined }

export function transactionsQuery(userId: string, filter: TransactionFilter): ListQuery {
  const view = transactionView
  const { type, status, sender, contact, recipient, memo, wallet, search } = filter
  const where = and(
    eq(view.userId, userId),
    ranges(view, filter),
    type === 'payout' ? like(view.category, 'escrow%') : undefined,
    type === 'transfer' ? notLike(view.category, 'escrow%') : undefined,
    status?.length
      ? inArray(
          view.status,
          status.flatMap((name) => [...transactionStatusGroups[name]]),
        )
      : undefined,
    sender === 'user' ? isNull(view.agentId) : sender ? eq(view.agentId, sender) : undefined,
    contact ? eq(view.contactId, contact) : undefined,
    wallet ? eq(view.walletId, wallet) : undefined,
    recipient
      ? contains(view, recipient, '$.recipientEmail', '$.recipientPhone', '$.toAddress', '$.contact.name')
      : undefined,
    memo ? contains(view, memo, '$.memo') : undefined,
    search ? contains(view, search, '$.id', '$.txHash') : undefined,
  )
  return { view, where }
}

export function payoutsQuery(userId: string, filter: PayoutFilter): ListQuery {
  const view = payoutView
  const { status, wallets, ids, recipient } = filter
  const where = and(
    eq(view.userId, userId),
    ranges(view, filter),
    status?.length ? inArray(view.status, status) : undefined,
    wallets?.length ? inArray(sql`lower(${view.body}->>'$.sourceWallet.address')`, wallets) : undefined,
    // One parameter: D1 allows 100 per statement, which is also the limit of ids.
    ids ? sql`${view.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))` : undefined,
    recipient ? contains(view, recipient, '$.recipientEmail', '$.recipientPhone') : undefined,
  )
  return { view, where }
}

const ranges = (view: View, { from, to, amountMin, amountMax }: TransactionFilter | PayoutFilter) =>
  and(
    from === undefined ? undefined : gte(view.createdAt, from),
    to === undefined ? undefined : lt(view.createdAt, to),
    amountMin === undefined ? undefined : gte(view.amount, amountMin),
    amountMax === undefined ? undefined : lte(view.amount, amountMax),
  )

/**
 * Whether one of these fields of the row's JSON contains the text. Case is ignored for ASCII letters, as SQLite does. Not
 * LIKE, whose patterns D1 limits to 50 bytes.
 */
const contains = (view: View, text: string, ...paths: string[]) =>
  or(...paths.map((path) => sql`instr(lower(${view.body}->>${sql.raw(`'${path}'`)}), lower(${text})) > 0`))

/** Newest first. */
export const selectRows = (db: Db, { view, where }: ListQuery, limit: number, offset: number) =>
  db
    .select({ body: view.body })
    .from(view as typeof payoutView)
    .where(where)
    .orderBy(desc(view.createdAt), desc(view.id))
    .limit(limit)
    .offset(offset)

export const selectCount = (db: Db, { view, where }: ListQuery) =>
  db
    .select({ total: count() })
    .from(view as typeof payoutView)
    .where(where)

/** One page with the total, in one round trip. */
export async function readPage<Row extends Transaction | Escrow>(
  db: Db,
  query: ListQuery,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ rows: Row[]; total: number }> {
  const [rows, [counted]] = await db.batch([
    selectRows(db, query, pageSize, (page - 1) * pageSize),
    selectCount(db, query),
  ])
  return { rows: rows.map(({ body }) => JSON.parse(body) as Row), total: counted?.total ?? 0 }
}

/** Rows after the first `offset`, without a count: for exports. */
export async function readSlice<Row extends Transaction | Escrow>(
  db: Db,
  query: ListQuery,
  limit: number,
  offset: number,
): Promise<Row[]> {
  const rows = await selectRows(db, query, limit, offset)
  return rows.map(({ body }) => JSON.parse(body) as Row)
}
