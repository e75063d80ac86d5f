import { and, asc, count, desc, eq, inArray, isNull, like, ne, or, type SQL, sql } from 'drizzle-orm'
import type { DrizzleSqliteDODatabase } from 'drizzle-orm/durable-sqlite'
import { type ListCursor, type ListFigure, type ListSort, transactionStatusGroups } from '#domain/lists.ts'
import { filterNames, type NoteFilters } from '#domain/paymentNotes.ts'
import type { PayoutFilter, TransactionFilter } from '#schemas/lists.ts'
import type { Slice, TransactionsWanted } from './api.ts'
import { payoutView, transactionView } from './listsSchema.ts'

/**
 * Pages of the lists. A list reads rows along the index that matches the sort order (time or amount). A filter searches the
 * newest of them only, a part at a time (search.ts). Tests check SQLite's query plan and the rows that it reads.
 */

export type Db = Pick<DrizzleSqliteDODatabase, 'select'>
export type View = typeof transactionView | typeof payoutView
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
    type === 'x402' || type === 'deposit' || type === 'withdrawal' ? eq(view.category, type) : undefined,
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

export const keyOf = (view: View, sort: ListSort) =>
  sort === 'largest' || sort === 'smallest' ? view.amount : view.createdAt
export const isDescending = (sort: ListSort) => sort === 'newest' || sort === 'largest'

/** The bounds of the query's ranges. `write` is how a column appears in SQL, or null to leave out its bounds. */
export function bounds(
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
 * Conditions for the rows of the query beyond the cursor. SQLite uses one lower and one upper bound on the index's column. The
 * `+` keeps it from using another column's index, and from using a bound where the cursor is the tighter one.
 */
function conditions(query: ListQuery, beyond?: Beyond) {
  const { view, filters, sort, reach } = query
  const key = keyOf(view, sort)
  const indexed = reach === 'ids' ? null : key
  const write = (column: Column, side: '<' | '>') =>
    column === indexed && beyond?.comparison !== side ? sql`${column}` : sql`+${column}`
  return and(filters, beyond && past(indexed ?? sql`+${key}`, view.id, beyond), bounds(query, write))
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

export type Part = { limit: number; offset?: number; cursor?: ListCursor | null | undefined }

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

/** Number of rows of the query. */
export const selectTotal = (db: Db, query: ListQuery) =>
  db
    .select({ total: count() })
    .from(query.view as typeof payoutView)
    .where(conditions(query))

/** Reads up to `limit` rows after a cursor, for exports, and returns those that the filters keep. */
export function readSlice(db: Db, query: ListQuery, limit: number, cursor: ListCursor | null): Omit<Slice, 'names'> {
  const read = selectSlice(db, query, limit, cursor).all()
  const last = read.at(-1)
  return {
    rows: `[${read.flatMap(({ body }) => body ?? [])}]`,
    next: last && read.length === limit ? { side: 'after', sort: query.sort, key: last.key, id: last.id } : null,
  }
}
