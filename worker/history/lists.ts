import { and, asc, count, desc, eq, inArray, isNull, like, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { DrizzleSqliteDODatabase } from 'drizzle-orm/durable-sqlite'
import {
  encodeCursor,
  type ListCursor,
  type ListFigure,
  type ListSort,
  searchedRows,
  transactionStatusGroups,
} from '#domain/lists.ts'
import { formatUsdc } from '#domain/money.ts'
import { type ChainName, chainNames } from '#domain/networks.ts'
import { filterNames, type NoteFilters } from '#domain/paymentNotes.ts'
import { unspentCategories } from '#domain/statistics.ts'
import { isoOf } from '#domain/time.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { PayoutFilter, TransactionFilter } from '#schemas/lists.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Listed, Paging, Slice, TransactionsWanted } from './api.ts'
import { payoutView, transactionView } from './listsSchema.ts'

/**
 * Pages of the lists. A list reads rows along the index that matches the sort order (time or amount). A filter searches the
 * newest of them only, so that a call takes a few milliseconds and other calls of the account do not wait for it. Tests
 * check SQLite's query plan and the rows that it reads.
 */

export type Db = Pick<DrizzleSqliteDODatabase, 'select'>
type View = typeof transactionView | typeof payoutView
type Ranges = Pick<TransactionFilter, 'from' | 'to' | 'amountMin' | 'amountMax'>
type Column = View['createdAt'] | View['amount']
export type ListQuery = {
  view: View
  /** All but the ranges. */
  filters: SQL | undefined
  ranges: Ranges
  sort: ListSort
  /** `all`: no filter. `newest`: only `searchedRows` rows are searched. `ids`: rows are found by their ids. */
  reach: 'all' | 'newest' | 'ids'
}

export function transactionsQuery(filter: TransactionsWanted): ListQuery {
  const view = transactionView
  const { sort = 'newest', ...filters } = filter
  const { type, figure, status, sender, contact, recipient, memo, wallet, search } = filters
  const conditions = and(
    type === 'payout' ? like(view.category, 'escrow%') : undefined,
    type === 'transfer' ? inArray(view.category, ['contact', 'address']) : undefined,
    type === 'deposit' || type === 'withdrawal' ? eq(view.category, type) : undefined,
    figure && countedIn(figure),
    status?.length
      ? inArray(
          view.status,
          status.flatMap((name) => [...transactionStatusGroups[name]]),
        )
      : undefined,
    sender === 'user'
      ? and(isNull(view.agentId), ne(view.category, 'deposit'))
      : sender
        ? eq(view.agentId, sender)
        : undefined,
    contact ? eq(view.contactId, contact) : undefined,
    wallet ? eq(view.walletId, wallet) : undefined,
    recipient ? recipientContains(view, recipient) : undefined,
    memo ? contains(view, memo, '$.memo') : undefined,
    hasNotes(view, filter),
    search ? contains(view, search, '$.id', '$.txHash') : undefined,
  )
  return { view, filters: conditions, ranges: filter, sort, reach: isFiltered(filters) ? 'newest' : 'all' }
}

/** Whether a figure counts the payment: of the same rows, and by the same condition, as `Rows.figures` and `overviewOf`. */
const countedIn = ({ name, chain, failedSince }: NonNullable<TransactionsWanted['figure']>) =>
  sql`EXISTS (SELECT 1 FROM counted WHERE counted.id = ${transactionView.id} AND counted.chain = ${chain}
    AND ${figureConditions[name](failedSince)})`

const figureConditions: Record<ListFigure, (failedSince: number) => SQL> = {
  payments: () => sql`1`,
  accepted: () => sql`method <> ''`,
  paid: () => sql`counted.recipient IS NOT NULL`,
  completed: () => sql`outcome = 'confirmed'`,
  ended: () => sql`outcome IN ('confirmed', 'failed')`,
  failed_24h: (since) => sql`outcome = 'failed' AND at > ${since}`,
}

export function payoutsQuery(filter: PayoutFilter): ListQuery {
  const view = payoutView
  const { sort = 'newest', ...filters } = filter
  const { status, wallets, ids, recipient } = filters
  const conditions = and(
    status?.length ? inArray(view.status, status) : undefined,
    wallets?.length ? inArray(sql`lower(${view.body}->>'$.sourceWallet.address')`, wallets) : undefined,
    // One parameter: a statement has room for 100, which is also the limit of ids.
    ids ? sql`${view.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))` : undefined,
    recipient ? recipientContains(view, recipient) : undefined,
    hasNotes(view, filter),
  )
  const reach = ids ? 'ids' : isFiltered(filters) ? 'newest' : 'all'
  return { view, filters: conditions, ranges: filter, sort, reach }
}

const isFiltered = (filters: object) => Object.values(filters).some((each) => each !== undefined)

const keyOf = (view: View, sort: ListSort) => (sort === 'largest' || sort === 'smallest' ? view.amount : view.createdAt)
const isDescending = (sort: ListSort) => sort === 'newest' || sort === 'largest'

/** The bounds of the query's ranges. `write` is how a column appears in SQL, or null to leave out its bounds. */
function bounds(
  { view, ranges: { from, to, amountMin, amountMax } }: ListQuery,
  write: (column: Column, side: '<' | '>') => SQL | null,
) {
  const bound = (column: Column, operator: '>=' | '<' | '<=', value: number | undefined) => {
    const written = value === undefined ? null : write(column, operator === '>=' ? '>' : '<')
    return written ? sql`${written} ${sql.raw(operator)} ${value}` : undefined
  }
  return and(
    bound(view.createdAt, '>=', from),
    bound(view.createdAt, '<', to),
    bound(view.amount, '>=', amountMin),
    bound(view.amount, '<=', amountMax),
  )
}

const past = (key: Column | SQL, id: View['id'], { comparison, cursor }: Beyond) =>
  sql`(${key}, ${id}) ${sql.raw(comparison)} (${cursor.key}, ${cursor.id})`
type Beyond = { comparison: '<' | '>'; cursor: ListCursor }

/**
 * When the oldest row that a filter searches was created (ms): the one after the newest row that it does not. Null if it
 * searches all rows of its days.
 */
const searchedFrom = ({ view, ranges: { from = 0, to = Number.MAX_SAFE_INTEGER } }: ListQuery) =>
  sql<number | null>`(SELECT older.created_at + 1 FROM ${view} AS older
    WHERE older.created_at >= ${from} AND older.created_at < ${to}
    ORDER BY older.created_at DESC, older.id DESC LIMIT 1 OFFSET ${searchedRows})`

/**
 * Conditions for the rows of the query beyond the cursor. A list is read along the index of its order, and searched along that
 * of time. SQLite uses one lower and one upper bound on the index's column. The `+` keeps it from using another column's index,
 * and from using a filter's bound where the cursor is the tighter one.
 */
function conditions(query: ListQuery, beyond?: Beyond) {
  const { view, filters, ranges, sort, reach } = query
  const key = keyOf(view, sort)
  const indexed = reach === 'all' ? key : reach === 'newest' ? view.createdAt : null
  const isSearch = reach === 'newest'
  // A search always begins at its oldest row: a cursor may be older.
  const seeks = indexed === key && !(isSearch && beyond?.comparison === '>')
  const write = (column: Column, side: '<' | '>') =>
    column === indexed && !(seeks && beyond?.comparison === side) ? sql`${column}` : sql`+${column}`
  return and(
    filters,
    beyond && past(seeks ? key : sql`+${key}`, view.id, beyond),
    isSearch ? sql`${write(view.createdAt, '>')} >= coalesce(${searchedFrom(query)}, ${ranges.from ?? 0})` : undefined,
    bounds(query, (column, side) =>
      isSearch && column === view.createdAt && side === '>' ? null : write(column, side),
    ),
  )
}

/**
 * Whether one of these fields of the row's JSON contains the text, ignoring the case of ASCII letters. Does not use LIKE,
 * because the platform limits its patterns to 50 bytes.
 */
const contains = (view: View, text: string, ...paths: string[]) =>
  or(...paths.map((path) => sql`instr(lower(${view.body}->>${sql.raw(`'${path}'`)}), lower(${text})) > 0`))

const recipientContains = (view: View, text: string) => sql`instr(${view.recipient}, lower(${text})) > 0`

const hasNotes = (view: View, filters: NoteFilters) =>
  and(
    ...filterNames.map((name) =>
      filters[name] ? sql`${view.body}->>${sql.raw(`'$.${name}'`)} = ${filters[name]}` : undefined,
    ),
  )

type Part = { limit: number; offset?: number; cursor?: ListCursor | null | undefined }

/** Rows in list order from `offset` or after a cursor. Rows before a cursor come in reverse order, nearest first. */
export function selectRows(db: Db, query: ListQuery, { limit, offset = 0, cursor }: Part) {
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
 * Rows of an export in list order after a cursor: exactly `limit` rows are read, and those that the filters leave out come
 * without a body, so that a query takes as long for any filter.
 */
export function selectSlice(db: Db, query: ListQuery, limit: number, cursor: ListCursor | null) {
  const { view, filters, sort } = query
  const key = keyOf(view, sort)
  const falls = isDescending(sort)
  const order = falls ? desc : asc
  const beyond = cursor && ({ comparison: falls ? '<' : '>', cursor } as const)
  const isWanted = and(
    filters,
    bounds(query, (column, side) => (column === key && beyond?.comparison !== side ? null : sql`${column}`)),
  )
  return db
    .select({
      body: isWanted ? sql<string | null>`CASE WHEN ${isWanted} THEN ${view.body} END` : view.body,
      key,
      id: view.id,
    })
    .from(view as typeof payoutView)
    .where(
      and(
        beyond ? past(key, view.id, beyond) : undefined,
        bounds(query, (column, side) => (column === key && beyond?.comparison !== side ? sql`${column}` : null)),
      ),
    )
    .orderBy(order(key), order(view.id))
    .limit(limit)
}

/** The rows' contribution to the total spent (isSpent), in micro-USDC as a decimal string. */
const spentOn = (chain: ChainName) => {
  const { status, category, amount, chain: ofRow } = transactionView
  const counts = and(eq(status, 'CONFIRMED'), notInArray(category, [...unspentCategories]), eq(ofRow, chain))
  return sql<string>`CAST(coalesce(sum(CASE WHEN ${counts} THEN ${amount} END), 0) AS TEXT)`.as(chain)
}

/** Number of matching rows, how far the filter searched, and the total spent by transactions that match a filter. */
export function selectTotals(db: Db, query: ListQuery) {
  const isSearch = query.reach === 'newest'
  const sums: Partial<Record<ChainName, SQL.Aliased<string>>> =
    isSearch && query.view === transactionView
      ? Object.fromEntries(chainNames.map((chain) => [chain, spentOn(chain)]))
      : {}
  const reached = isSearch ? searchedFrom(query) : sql<number | null>`NULL`
  return db
    .select({ total: count(), searchedFrom: reached.as('searched_from'), ...sums })
    .from(query.view as typeof payoutView)
    .where(conditions(query))
}

/** Reads one page and the total. With a cursor, `page` is only the number to return. */
export function readPage<Row extends Transaction | Escrow>(
  db: Db,
  query: ListQuery,
  { page, pageSize, cursor }: Paging,
): Listed<Row> {
  // One extra row tells whether another page follows.
  const offset = cursor ? 0 : (page - 1) * pageSize
  const read = selectRows(db, query, { limit: pageSize + 1, offset, cursor }).all()
  const counted = selectTotals(db, query).get()
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
      ...(counted && 'base' in counted && { spent: spentIn(counted as Partial<Record<ChainName, string>>) }),
      ...(counted && counted.searchedFrom !== null && { searchedFrom: isoOf(counted.searchedFrom) }),
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

/** Reads up to `limit` rows after a cursor, for exports, and returns those that the filters keep. */
export function readSlice<Row extends Transaction | Escrow>(
  db: Db,
  query: ListQuery,
  limit: number,
  cursor: ListCursor | null,
): Slice<Row> {
  const read = selectSlice(db, query, limit, cursor).all()
  const last = read.at(-1)
  return {
    rows: read.flatMap(({ body }) => (body === null ? [] : [JSON.parse(body) as Row])),
    next: last && read.length === limit ? { side: 'after', sort: query.sort, key: last.key, id: last.id } : null,
  }
}
