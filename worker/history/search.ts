import { and, asc, desc, eq, gte, lt, ne, type SQL, sql } from 'drizzle-orm'
import { searchedRows } from '#domain/lists.ts'
import { formatUsdc } from '#domain/money.ts'
import { type ChainName, chainNames } from '#domain/networks.ts'
import { unspentCategories } from '#domain/statistics.ts'
import { isoOf } from '#domain/time.ts'
import type { Page } from '#schemas/common.ts'
import { nextTurn } from '../durable/turns.ts'
import type { People } from './api.ts'
import { bounds, type Db, isDescending, isOpen, keyOf, type ListQuery, type Part } from './lists.ts'
import { payoutView, transactionView } from './listsSchema.ts'

/**
 * Filters. They search the newest rows along the index of time, those of one person, or the open payouts that expire first, a few
 * at a time, and other calls have their turn in between: on one thread, a search of all at once would keep every account waiting
 * for 20 to 30 ms.
 */

/** Rows that one query searches: a millisecond or two. */
const sliceRows = 1_000

/**
 * An index that a search reads, in its direction, and its bounds (ms); `to` is exclusive. `only`: of a partial index or of one
 * value. One that is not narrow has all rows of the chosen days.
 */
type Walk = {
  column: (typeof payoutView)['createdAt'] | (typeof payoutView)['expiresAt'] | (typeof transactionView)['createdAt']
  falls: boolean
  from: number
  to: number
  only?: SQL
}

/** Several indexes may have the same row. */
function walksOf({
  view,
  ranges: { from = 0, to = Number.MAX_SAFE_INTEGER },
  expiresBefore,
  person,
}: ListQuery): Walk[] {
  if (expiresBefore !== undefined)
    return [{ column: payoutView.expiresAt, falls: false, from: 0, to: expiresBefore, only: isOpen }]
  const inTime = { column: view.createdAt, falls: true, from, to }
  return person === undefined ? [inTime] : sourcesOf(person).map((only) => ({ ...inTime, only }))
}

/** Rows that name the contact, and those that name one of its ways to be paid. */
function sourcesOf({ contactIds, methods }: People): SQL[] {
  const { contactId, email, phone, address } = transactionView
  const columnOf = (method: string) => (method.startsWith('0x') ? address : method.includes('@') ? email : phone)
  return [
    ...contactIds.map((id) => eq(contactId, id)),
    ...methods.map((method) => eq(columnOf(method), method.toLowerCase())),
  ]
}

/** Whether indexes have just the rows to search, whenever they were made. */
export const isNarrow = ({ expiresBefore, person }: ListQuery): boolean =>
  expiresBefore !== undefined || person !== undefined

/** Where a row is in time. `at` in ms. */
type Place = { at: number; id: string }
type Match = { id: string; key: number; amount: number; chain: ChainName; isSpent: number }
export type Found = Pick<Page, 'total' | 'amount' | 'spent' | 'searchedFrom' | 'searchedUntil'> & {
  read: { id: string; key: number; body: string }[]
}

/** The rows that match, in list order from `offset` or a cursor on, as `selectRows` returns those of a list; and how many match. */
export async function search(db: Db, query: ListQuery, part: Part): Promise<Found> {
  const { walks, ...searched } = withinReach(db, query)
  const found = new Map<string, Match>()
  for (const walk of walks) for (const match of await matchesOf(db, query, walk)) found.set(match.id, match)
  const matches = [...found.values()]
  return {
    read: readBodies(db, query, pick(matches, query, part)),
    total: matches.length,
    amount: sumsOf(matches),
    ...(query.view === transactionView && { spent: sumsOf(matches.filter(({ isSpent }) => isSpent)) }),
    ...searched,
  }
}

/** The indexes to read, up to the first row that a filter leaves unsearched because there are too many. */
function withinReach(db: Db, query: ListQuery): Pick<Found, 'searchedFrom' | 'searchedUntil'> & { walks: Walk[] } {
  const walks = walksOf(query)
  const ends = walks.flatMap((walk) => selectUnsearched(db, query, walk).get()?.at ?? [])
  if (ends.length === 0) return { walks }
  if (walks[0]!.falls) {
    const from = Math.max(...ends) + 1
    return { walks: walks.map((walk) => ({ ...walk, from })), searchedFrom: isoOf(from) }
  }
  const to = Math.min(...ends)
  return { walks: walks.map((walk) => ({ ...walk, to })), searchedUntil: isoOf(to) }
}

async function matchesOf(db: Db, query: ListQuery, walk: Walk): Promise<Match[]> {
  const { falls, from, to } = walk
  const matches: Match[] = []
  let start: Place = { at: falls ? to : from, id: '' }
  for (;;) {
    const end = selectSliceEnd(db, query, start, walk).get()
    const last = end ?? { at: falls ? from : to, id: '' }
    matches.push(...(selectMatches(db, query, start, last, walk).all() as Match[]))
    if (!end) return matches
    start = end
    await nextTurn(1)
  }
}

const compared = ({ view }: ListQuery, { column }: Walk, operator: string, { at, id }: Place) =>
  sql`(${column}, ${view.id}) ${sql.raw(operator)} (${at}, ${id})`
const inOrder = ({ view }: ListQuery, { column, falls }: Walk) =>
  falls ? [desc(column), desc(view.id)] : [asc(column), asc(view.id)]

/** The first row of a walk that a filter leaves unsearched. */
export const selectUnsearched = (db: Db, query: ListQuery, walk: Walk) => {
  const { column, from, to, only } = walk
  return db
    .select({ at: column })
    .from(query.view as typeof payoutView)
    .where(and(only, gte(column, from), lt(column, to)))
    .orderBy(...inOrder(query, walk))
    .limit(1)
    .offset(searchedRows)
}

/** The last row of the next slice; undefined if the last slice is left. */
export const selectSliceEnd = (db: Db, query: ListQuery, start: Place, walk = walksOf(query)[0]!) => {
  const { column, falls, from, to, only } = walk
  return db
    .select({ at: column, id: query.view.id })
    .from(query.view as typeof payoutView)
    .where(and(only, compared(query, walk, falls ? '<' : '>', start), falls ? gte(column, from) : lt(column, to)))
    .orderBy(...inOrder(query, walk))
    .limit(1)
    .offset(sliceRows - 1)
}

/** The rows between these places, with the second one, that match. The `+` keeps SQLite from the index of amounts. */
export function selectMatches(db: Db, query: ListQuery, start: Place, end: Place, walk = walksOf(query)[0]!) {
  const { view, filters, sort } = query
  const { column, falls, only } = walk
  return db
    .select({ id: view.id, key: keyOf(view, sort), amount: view.amount, chain: view.chain, isSpent: isSpent(query) })
    .from(view as typeof payoutView)
    .where(
      and(
        only,
        compared(query, walk, falls ? '<' : '>', start),
        compared(query, walk, falls ? '>=' : '<=', end),
        filters,
        bounds(query, (bounded) => (bounded === column ? null : sql`+${bounded}`)),
      ),
    )
}

/** Whether the row counts as spent (isSpent of domain/statistics.ts). */
function isSpent({ view, isOfPayments }: ListQuery): SQL<number> {
  if (view !== transactionView) return sql<number>`0`
  const { status, category } = transactionView
  // No NOT IN: SQLite builds a table of more than two values, and counts each look at it as a row read.
  const unspent = isOfPayments ? [] : unspentCategories.map((unspent) => ne(category, unspent))
  return sql<number>`${and(eq(status, 'CONFIRMED'), ...unspent)}`
}

function sumsOf(matches: Match[]): Record<ChainName, string> {
  const sums = new Map<ChainName, bigint>()
  for (const { chain, amount } of matches) sums.set(chain, (sums.get(chain) ?? 0n) + BigInt(amount))
  return Object.fromEntries(chainNames.map((chain) => [chain, formatUsdc(sums.get(chain) ?? 0n)])) as Record<
    ChainName,
    string
  >
}

type Key = Pick<Match, 'id' | 'key'>
const compare = (a: Key, b: Key) => a.key - b.key || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** The matches of the page. Those before a cursor come in reverse order, nearest first. */
function pick(matches: Match[], { sort }: ListQuery, { limit, offset = 0, cursor }: Part): Key[] {
  const falls = isDescending(sort) !== (cursor?.side === 'before')
  const sorted = matches.sort((a, b) => (falls ? compare(b, a) : compare(a, b)))
  const beyond = cursor
    ? sorted.filter((match) => (falls ? compare(match, cursor) < 0 : compare(match, cursor) > 0))
    : sorted
  return beyond.slice(offset, offset + limit)
}

function readBodies(db: Db, { view }: ListQuery, keys: Key[]): Found['read'] {
  const ids = JSON.stringify(keys.map(({ id }) => id))
  const rows = db
    .select({ id: view.id, body: view.body })
    .from(view as typeof payoutView)
    .where(sql`${view.id} IN (SELECT value FROM json_each(${ids}))`)
    .all()
  const bodies = new Map(rows.map(({ id, body }) => [id, body]))
  // A row may be gone since it matched.
  return keys.flatMap(({ id, key }) => (bodies.has(id) ? [{ id, key, body: bodies.get(id)! }] : []))
}
