import { and, asc, count, desc, eq, inArray, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { DrizzleSqliteDODatabase } from 'drizzle-orm/durable-sqlite'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  categoriesOf,
  type ListCursor,
  type ListSort,
  listsPayments,
  openPayoutStatuses,
  transactionStatusGroups,
} from '#domain/lists.ts'
import { filterNames, type NoteFilters } from '#domain/paymentNotes.ts'
import { isoOf } from '#domain/time.ts'
import type { TransactionFilter } from '#schemas/lists.ts'
import type { Names, PayoutsWanted, People, TransactionsWanted } from './api.ts'
import { countedSql } from './figures.ts'
import { payoutView, transactionView } from './listsSchema.ts'

/**
 * Pages of the lists. A list reads rows along the index that matches the sort order (time or amount). A filter searches the
 * newest of them only, a part at a time (search.ts). Tests check SQLite's query plan and the rows that it reads.
 */

export type Db = Pick<DrizzleSqliteDODatabase, 'select'>
export type View = typeof transactionView | typeof payoutView
type Ranges = Pick<TransactionFilter, 'from' | 'to' | 'amountMin' | 'amountMax'>
type Column = View['createdAt'] | View['amount'] | (typeof payoutView)['expiresAt']
export type ListQuery = {
  view: View
  /** All but the ranges. */
  filters: SQL | undefined
  ranges: Ranges
  sort: ListSort
  /** One row for each payment, which counts with its own amount (listsPayments). */
  isOfPayments: boolean
  /** `all`: no filter. `newest`: at most `searchedRows` rows are searched (search.ts). `ids`: rows are found by their ids. */
  reach: 'all' | 'newest' | 'ids'
  /** Only open payouts that expire before this time (ms) are searched. */
  expiresBefore?: number | undefined
  /** Only rows of this person are searched. */
  person?: People | undefined
}

/** `names`: of the account's wallets, which a filter by recipient may name. */
export function transactionsQuery(filter: TransactionsWanted, names: Names): ListQuery {
  const view = transactionView
  const { sort = 'newest', now, ...filters } = filter
  const { type, network, status, sender, group, contact, recipient, memo, wallet, run, search, movedFrom } = filters
  const isOfPayments = listsPayments(filters)
  const conditions = and(
    type ? inArray(view.category, [...categoriesOf[type]]) : undefined,
    ...(isOfPayments ? [isCounted(filters, now), isDecided(filters)] : []),
    network ? eq(view.chain, network) : undefined,
    status?.length
      ? inArray(
          view.status,
          status.flatMap((name) => [...transactionStatusGroups[name]]),
        )
      : undefined,
    sender ? isSentBy(sender) : undefined,
    group ? eq(view.groupId, group) : undefined,
    run ? sql`${view.body}->>'$.runId' = ${run}` : undefined,
    movedFrom === undefined ? undefined : sql`${view.body}->>'$.timeline.confirmedAt' >= ${isoOf(movedFrom)}`,
    contact && isTo(contact),
    wallet ? eq(view.walletId, wallet) : undefined,
    recipient && or(recipientContains(view, recipient.text), isTo(recipient), isToWallet(recipient.text, names)),
    memo ? contains(view, memo, '$.memo') : undefined,
    hasNotes(view, filter),
    search ? contains(view, search, '$.id', '$.txHash') : undefined,
  )
  return {
    view,
    filters: conditions,
    ranges: filter,
    sort,
    isOfPayments,
    reach: isFiltered(filters) ? 'newest' : 'all',
    person: contact,
  }
}

/** Whether it is the row of a payment that the figure counts, that was spent on these days, or that went to this recipient or seller. */
const isCounted = (
  { figure, spent, recipientOf, seller }: Pick<TransactionsWanted, 'figure' | 'spent' | 'recipientOf' | 'seller'>,
  now: number,
): SQL | undefined => {
  if ([figure, spent, recipientOf, seller].every((each) => each === undefined)) return undefined
  const conditions = and(
    sql`counted.id = ${transactionView.id}`,
    figure && sql.raw(countedSql(figure, now)),
    spent && sql`counted.spent_at >= ${spent.from} AND counted.spent_at < ${spent.to}`,
    recipientOf ? sql`counted.recipient = (SELECT recipient FROM counted WHERE id = ${recipientOf})` : undefined,
    // The host and an address (sellerPair).
    seller ? sql`substr(counted.recipient, 1, ${seller.length + 1}) = ${`${seller} `}` : undefined,
  )
  return sql`EXISTS (SELECT 1 FROM counted WHERE ${conditions})`
}

/** Whether it is the row of what an agent asked for on these days, which became this, by these rules. */
const isDecided = ({ requested, answer, rules }: Pick<TransactionsWanted, 'requested' | 'answer' | 'rules'>) => {
  if ([requested, answer, rules].every((each) => each === undefined)) return undefined
  const conditions = and(
    sql`decision.id = ${transactionView.id}`,
    requested && sql`decision.at >= ${requested.from} AND decision.at < ${requested.to}`,
    answer && sql`decision.answer = ${answer}`,
    rules ? sql`decision.rules = ${rules}` : undefined,
  )
  return sql`EXISTS (SELECT 1 FROM decision WHERE ${conditions})`
}

/** `sender` as in the filter; the list says "Outside Bursar" of withdrawals that somebody with the wallet's key made. */
function isSentBy(sender: string): SQL | undefined {
  const { agentId, category, body } = transactionView
  const isOutside = sql`(${category} = 'withdrawal' AND ${body}->>'$.origin' = 'transfer')`
  if (sender === 'outside') return isOutside
  if (sender !== 'user') return eq(agentId, sender)
  return and(isNull(agentId), ne(category, 'deposit'), sql`NOT ${isOutside}`)
}

/** Payments that name one of these contacts, and all movements to, or deposits from, one of these addresses, emails and numbers. */
function isTo({ contactIds, methods }: People): SQL | undefined {
  const { contactId, email, phone, address } = transactionView
  return or(isIn(contactId, contactIds), ...[email, phone, address].map((column) => isIn(column, methods)))
}

/**
 * Whether the column has one of these values, none of which has a line end, in any case. One parameter, because a statement has room
 * for 100; and no table, because each look at one counts as a row read.
 */
const isIn = (column: SQLiteColumn, values: string[]): SQL =>
  values.length === 0
    ? sql`0`
    : sql`instr(${`\n${values.join('\n').toLowerCase()}\n`}, char(10) || ${column} || char(10)) > 0`

/** Payments to, and deposits into, wallets of the account whose present names contain the text: so the list calls them. */
function isToWallet(text: string, names: Names): SQL | undefined {
  const called = text.toLowerCase()
  const found = Object.entries(names).flatMap(([key, name]) => (name?.toLowerCase().includes(called) ? [key] : []))
  const { category, walletId, address } = transactionView
  const addresses = found.flatMap((key) => key.split(' ')[1] ?? [])
  return or(isIn(address, addresses), and(eq(category, 'deposit'), isIn(walletId, found)))
}

export function payoutsQuery(filter: PayoutsWanted): ListQuery {
  const view = payoutView
  const { sort = 'newest', ...filters } = filter
  const { status, wallets, network, ids, recipient, expiresBefore } = filters
  const conditions = and(
    status?.length ? inArray(view.status, status) : undefined,
    wallets?.length ? inArray(sql`lower(${view.body}->>'$.sourceWallet.address')`, wallets) : undefined,
    network ? eq(view.chain, network) : undefined,
    // One parameter: a statement has room for 100, which is also the limit of ids.
    ids ? sql`${view.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))` : undefined,
    recipient ? recipientContains(view, recipient) : undefined,
    expiresBefore === undefined ? undefined : and(isOpen, lt(view.expiresAt, expiresBefore)),
    hasNotes(view, filter),
  )
  const reach = ids ? 'ids' : isFiltered(filters) ? 'newest' : 'all'
  return { view, filters: conditions, ranges: filter, sort, isOfPayments: true, reach, expiresBefore }
}

/** Written as in the index of open payouts. */
export const isOpen = sql`${payoutView.status} IN ${sql.raw(`(${openPayoutStatuses.map((status) => `'${status}'`).join(', ')})`)}`

const isFiltered = (filters: object) => Object.values(filters).some((each) => each !== undefined)

export const keyOf = (view: View, sort: ListSort): Column => {
  if (sort === 'largest' || sort === 'smallest') return view.amount
  return sort === 'soonest' || sort === 'latest' ? payoutView.expiresAt : view.createdAt
}
export const isDescending = (sort: ListSort) => sort === 'newest' || sort === 'largest' || sort === 'latest'

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
