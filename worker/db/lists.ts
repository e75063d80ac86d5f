import { and, asc, count, desc, eq, inArray, isNull, like, notInArray, notLike, or, type SQL, sql } from 'drizzle-orm'
import { encodeCursor, type ListCursor, type ListSort, transactionStatusGroups } from '#domain/lists.ts'
import { formatUsdc } from '#domain/money.ts'
import { type ChainName, chainNames } from '#domain/networks.ts'
import { filterNames, type NoteFilters } from '#domain/paymentNotes.ts'
import { unspentCategories } from '#domain/statistics.ts'
import type { Page } from '#schemas/common.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { PayoutFilter, TransactionFilter } from '#schemas/lists.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Db } from './d1.ts'
import { payoutView, transactionView } from './schema.ts'

/**
 * Pages of the read model. A query reads one user's rows along the index that matches the sort order (time or amount) and
 * applies filters to those rows only. A test checks SQLite's query plan.
 */

type View = typeof transactionView | typeof payoutView
type Ranges = Pick<TransactionFilter, 'from' | 'to' | 'amountMin' | 'amountMax'>
export type ListQuery = {
  view: View
  where: SQL | undefined
  ranges: Ranges
  sort: ListSort
  /** Whether the page includes the total spent by the matching rows. */
  sumsSpent?: boolean
}

export function transactionsQuery(userId: string, filter: TransactionFilter): ListQuery {
  const view = transactionView
  const { sort = 'newest', ...filters } = filter
  const { type, status, sender, contact, recipient, memo, wallet, search } = filters
  const where = and(
    eq(view.userId, userId),
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
    hasNotes(view, filter),
    search ? contains(view, search, '$.id', '$.txHash') : undefined,
  )
  return { view, where, ranges: filter, sort, sumsSpent: Object.values(filters).some((each) => each !== undefined) }
}

export function payoutsQuery(userId: string, filter: PayoutFilter): ListQuery {
  const view = payoutView
  const { status, wallets, ids, recipient, sort = 'newest' } = filter
  const where = and(
    eq(view.userId, userId),
    status?.length ? inArray(view.status, status) : undefined,
    wallets?.length ? inArray(sql`lower(${view.body}->>'$.sourceWallet.address')`, wallets) : undefined,
    // One parameter: D1 allows 100 per statement, which is also the limit of ids.
    ids ? sql`${view.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))` : undefined,
    recipient ? contains(view, recipient, '$.recipientEmail', '$.recipientPhone') : undefined,
    hasNotes(view, filter),
  )
  return { view, where, ranges: filter, sort }
}

const keyOf = (view: View, sort: ListSort) => (sort === 'largest' || sort === 'smallest' ? view.amount : view.createdAt)
const isDescending = (sort: ListSort) => sort === 'newest' || sort === 'largest'

/**
 * Conditions for the rows of the query beyond the cursor. SQLite uses one lower and one upper bound on the sort column. The
 * `+` keeps it from using another column's index, which would require a sort, and from using a filter's bound where the
 * cursor is the tighter one.
 */
function conditions({ view, where, ranges, sort }: ListQuery, beyond?: { comparison: '<' | '>'; cursor: ListCursor }) {
  const { from, to, amountMin, amountMax } = ranges
  const key = keyOf(view, sort)
  const column = (name: typeof view.createdAt | typeof view.amount, far: '<' | '>') =>
    name === key && beyond?.comparison !== far ? sql`${name}` : sql`+${name}`
  return and(
    where,
    beyond && sql`(${key}, ${view.id}) ${sql.raw(beyond.comparison)} (${beyond.cursor.key}, ${beyond.cursor.id})`,
    from === undefined ? undefined : sql`${column(view.createdAt, '>')} >= ${from}`,
    to === undefined ? undefined : sql`${column(view.createdAt, '<')} < ${to}`,
    amountMin === undefined ? undefined : sql`${column(view.amount, '>')} >= ${amountMin}`,
    amountMax === undefined ? undefined : sql`${column(view.amount, '<')} <= ${amountMax}`,
  )
}

/**
 * Whether one of these fields of the row's JSON contains the text, ignoring the case of ASCII letters. Does not use LIKE,
 * because D1 limits its patterns to 50 bytes.
 */
const contains = (view: View, text: string, ...paths: string[]) =>
  or(...paths.map((path) => sql`instr(lower(${view.body}->>${sql.raw(`'${path}'`)}), lower(${text})) > 0`))

const hasNotes = (view: View, filters: NoteFilters) =>
  and(
    ...filterNames.map((name) =>
      filters[name] ? sql`${view.body}->>${sql.raw(`'$.${name}'`)} = ${filters[name]}` : undefined,
    ),
  )

type Slice = { limit: number; offset?: number; cursor?: ListCursor | null | undefined }

/** Rows in list order from `offset` or after a cursor. Rows before a cursor come in reverse order, nearest first. */
export function selectRows(db: Db, query: ListQuery, { limit, offset = 0, cursor }: Slice) {
  const { view, sort } = query
  const key = keyOf(view, sort)
  const falls = isDescending(sort) !== (cursor?.side === 'before')
  const order = falls ? desc : asc
  return db
    .select({ body: view.body, key, id: view.id })
    .from(view as typeof payoutView)
    .where(conditions(query, cursor ? { comparison: falls ? '<' : '>', cursor } : undefined))
    .orderBy(order(key), order(view.id))
    .limit(limit)
    .offset(offset)
}

/**
 * The rows' contribution to the total spent (isSpent), in micro-USDC as a decimal string. The JSON is read last, and only
 * for rows that may count.
 */
const spentOn = (chain: ChainName) => {
  const { status, category, amount, body } = transactionView
  const counts = and(
    eq(status, 'CONFIRMED'),
    notInArray(category, [...unspentCategories]),
    sql`${body}->>'$.fromWalletChain' = ${chain}`,
  )
  return sql<string>`CAST(coalesce(sum(CASE WHEN ${counts} THEN ${amount} END), 0) AS TEXT)`.as(chain) // D1 drops one of two columns with the same name
}

/** Number of matching rows and, for a filtered list of transactions, the total they spent, in one pass. */
export function selectTotals(db: Db, query: ListQuery) {
  const sums: Partial<Record<ChainName, SQL.Aliased<string>>> = query.sumsSpent
    ? Object.fromEntries(chainNames.map((chain) => [chain, spentOn(chain)]))
    : {}
  return db
    .select({ total: count(), ...sums })
    .from(query.view as typeof payoutView)
    .where(conditions(query))
}

/** Reads one page and the total in one round trip. With a cursor, `page` is only the number to return. */
export async function readPage<Row extends Transaction | Escrow>(
  db: Db,
  query: ListQuery,
  { page, pageSize, cursor }: { page: number; pageSize: number; cursor?: ListCursor | undefined },
): Promise<{ rows: Row[]; page: Page }> {
  const [read, [counted]] = await db.batch([
    // One extra row tells whether another page follows.
    selectRows(db, query, { limit: pageSize + 1, offset: cursor ? 0 : (page - 1) * pageSize, cursor }),
    selectTotals(db, query),
  ])
  const isBackward = cursor?.side === 'before'
  const hasMore = read.length > pageSize
  const rows = read.slice(0, pageSize)
  if (isBackward) rows.reverse()
  const [first, last] = [rows[0], rows.at(-1)]
  const hasNext = isBackward || hasMore
  const hasPrevious = isBackward ? hasMore : cursor !== undefined || page > 1
  const at = (side: ListCursor['side'], { key, id }: { key: number; id: string }) =>
    encodeCursor({ side, sort: query.sort, key, id })
  return {
    rows: rows.map(({ body }) => JSON.parse(body) as Row),
    page: {
      number: page,
      size: pageSize,
      total: counted?.total ?? 0,
      ...(query.sumsSpent && { spent: spentIn(counted as Partial<Record<ChainName, string>>) }),
      ...(last && hasNext && { next: at('after', last) }),
      ...(first && hasPrevious && { previous: at('before', first) }),
    },
  }
}

const spentIn = (sums: Partial<Record<ChainName, string>> | undefined) =>
  Object.fromEntries(chainNames.map((chain) => [chain, formatUsdc(BigInt(sums?.[chain] ?? 0))])) as Record<
    ChainName,
    string
  >

/** Reads rows after a cursor, without a count, for exports. `next` is where to continue, or null after the last row. */
export async function readSlice<Row extends Transaction | Escrow>(
  db: Db,
  query: ListQuery,
  limit: number,
  cursor: ListCursor | null,
): Promise<{ rows: Row[]; next: ListCursor | null }> {
  const read = await selectRows(db, query, { limit, cursor })
  const last = read.at(-1)
  return {
    rows: read.map(({ body }) => JSON.parse(body) as Row),
    next: last && read.length === limit ? { side: 'after', sort: query.sort, key: last.key, id: last.id } : null,
  }
}
