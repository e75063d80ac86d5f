import { and, desc, eq, gte, lt, ne, type SQL, sql } from 'drizzle-orm'
import { searchedRows } from '#domain/lists.ts'
import { formatUsdc } from '#domain/money.ts'
import { type ChainName, chainNames } from '#domain/networks.ts'
import { unspentCategories } from '#domain/statistics.ts'
import { isoOf } from '#domain/time.ts'
import type { Page } from '#schemas/common.ts'
import { nextTurn } from '../durable/turns.ts'
import { bounds, type Db, isDescending, keyOf, type ListQuery, type Part } from './lists.ts'
import { type payoutView, transactionView } from './listsSchema.ts'

/**
 * Filters. They search the newest rows along the index of time, a few at a time, and other calls have their turn in between:
 * on one thread, a search of all at once would keep every account waiting for 20 to 30 ms.
 */

/** Rows that one query searches: a millisecond or two. */
const sliceRows = 1_000

/** Where a row is in time. `at` in ms. */
type Place = { at: number; id: string }
type Match = { id: string; key: number; amount: number; chain: ChainName; isSpent: number }
export type Found = Pick<Page, 'total' | 'amount' | 'spent' | 'searchedFrom'> & {
  read: { id: string; key: number; body: string }[]
}

/** The rows that match, in list order from `offset` or a cursor on, as `selectRows` returns those of a list; and how many match. */
export async function search(db: Db, query: ListQuery, part: Part): Promise<Found> {
  const searchedFrom = selectOldest(db, query)
  const matches = await matchesOf(db, query, searchedFrom ?? query.ranges.from ?? 0)
  return {
    read: readBodies(db, query, pick(matches, query, part)),
    total: matches.length,
    amount: sumsOf(matches),
    ...(query.view === transactionView && { spent: sumsOf(matches.filter(({ isSpent }) => isSpent)) }),
    ...(searchedFrom !== null && { searchedFrom: isoOf(searchedFrom) }),
  }
}

async function matchesOf(db: Db, query: ListQuery, from: number): Promise<Match[]> {
  const matches: Match[] = []
  let before: Place = { at: query.ranges.to ?? Number.MAX_SAFE_INTEGER, id: '' }
  for (;;) {
    const end = selectSliceEnd(db, query, before, from).get()
    matches.push(...(selectMatches(db, query, before, end ?? { at: from, id: '' }).all() as Match[]))
    if (!end) return matches
    before = end
    await nextTurn(1)
  }
}

const earlierThan = ({ view }: ListQuery, { at, id }: Place) => sql`(${view.createdAt}, ${view.id}) < (${at}, ${id})`

/**
 * When the oldest row that a filter searches was created (ms): the one after the newest row that it does not. Null if it
 * searches all rows of its days.
 */
function selectOldest(db: Db, query: ListQuery): number | null {
  const { view, ranges } = query
  const older = db
    .select({ at: view.createdAt })
    .from(view as typeof payoutView)
    .where(and(gte(view.createdAt, ranges.from ?? 0), lt(view.createdAt, ranges.to ?? Number.MAX_SAFE_INTEGER)))
    .orderBy(desc(view.createdAt), desc(view.id))
    .limit(1)
    .offset(searchedRows)
    .get()
  return older ? older.at + 1 : null
}

/** The oldest row of the next slice; undefined if the last slice is left. */
export const selectSliceEnd = (db: Db, query: ListQuery, before: Place, from: number) => {
  const { view } = query
  return db
    .select({ at: view.createdAt, id: view.id })
    .from(view as typeof payoutView)
    .where(and(earlierThan(query, before), gte(view.createdAt, from)))
    .orderBy(desc(view.createdAt), desc(view.id))
    .limit(1)
    .offset(sliceRows - 1)
}

/** The rows between these places, with the older one, that match. The `+` keeps SQLite from the index of amounts. */
export function selectMatches(db: Db, query: ListQuery, before: Place, end: Place) {
  const { view, filters, sort } = query
  return db
    .select({ id: view.id, key: keyOf(view, sort), amount: view.amount, chain: view.chain, isSpent: isSpent(query) })
    .from(view as typeof payoutView)
    .where(
      and(
        earlierThan(query, before),
        sql`(${view.createdAt}, ${view.id}) >= (${end.at}, ${end.id})`,
        filters,
        bounds(query, (column) => (column === view.createdAt ? null : sql`+${column}`)),
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
