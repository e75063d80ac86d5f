/** Lists of an account with more rows than a filter searches. */
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ListCursor, listSorts, searchedRows } from '#domain/lists.ts'
import { minuteMs } from '#domain/time.ts'
import type { Page } from '#schemas/common.ts'
import { nextTurn } from '../../worker/durable/turns.ts'
import type { TransactionsWanted } from '../../worker/history/api.ts'
import {
  type ListQuery,
  payoutsQuery,
  selectRows,
  selectSlice,
  selectTotal,
  transactionsQuery,
} from '../../worker/history/lists.ts'
import { readPage } from '../../worker/history/pages.ts'
import { selectMatches, selectSliceEnd } from '../../worker/history/search.ts'
import { historyRows, inHistory } from '../support/histories.ts'
import { createApi, createUser, seed } from './apiClient.ts'

const api = createApi()
const start = Date.UTC(2026, 0, 1)
const count = 21_000
/** Every hundredth row has a memo; the amounts go round from 1 to 250 USDC. */
const every = 100

type User = Awaited<ReturnType<typeof createUser>>
let owner: User

/** Rows `from` to `to`, a minute apart, row 1 first. */
async function addRows(userId: string, from: number, to: number): Promise<void> {
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?3)'
  const id = "?1 || '_' || substr('00000' || i, -5)"
  const at = `${start} + i * ${minuteMs}`
  const amount = '(i % 250 + 1) * 1000000'
  const body = `json_object('id', ${id}, 'memo', CASE WHEN i % ${every} = 0 THEN 'Invoice ' || i END, 'amountUsdc', '1',
    'category', 'address', 'status', 'CONFIRMED', 'createdAt', '2026', 'fromWalletChain', 'base',
    'timeline', json_object('confirmedAt', NULL), 'contact', NULL, 'contactId', NULL, 'toAddress', NULL, 'resource', NULL,
    'recipientPhone', NULL, 'reference', NULL, 'errorMessage', NULL, 'txHash', NULL, 'escrowId', NULL, 'runId', NULL,
    'recipientEmail', CASE WHEN i % ${every} = 0 THEN 'ada@bursar.test' END)`
  for (const sql of [
    `INSERT INTO transaction_view (id, seq, created_at, status, category, amount, wallet_id, chain, body)
     ${numbers} SELECT ${id}, 1, ${at}, 'CONFIRMED', 'address', ${amount}, 'w', 'base', ${body} FROM n`,
    `INSERT INTO payout_view (id, seq, created_at, status, amount, chain, body)
     ${numbers} SELECT ${id}, 1, ${at}, 'CREATED', ${amount}, 'base', ${body} FROM n`,
  ])
    await historyRows(userId, sql, userId, from, to)
}

async function list(user: User, path: string): Promise<{ ids: string[]; page: Page }> {
  const { status, json, text } = await user.asOwner('GET', path)
  expect(status, text).toBe(200)
  const rows = (json.data.escrows ?? json.data) as { id: string }[]
  return { ids: rows.map(({ id }) => id), page: json.page }
}
const at = (i: number) => new Date(start + i * minuteMs).toISOString()
const idOf = (user: User, i: number) => `${user.id}_${String(i).padStart(5, '0')}`

beforeAll(async () => {
  await seed()
  owner = await createUser(api)
  await addRows(owner.id, 1, count)
})

test('without a filter, all rows are listed and counted @lists-39', async () => {
  for (const path of ['/transactions/user', '/escrow/list']) {
    const { ids, page } = await list(owner, `${path}?sort=oldest&pageSize=1`)
    expect([ids, page.total, page.searchedFrom]).toEqual([[idOf(owner, 1)], count, undefined])
  }
})

test.each([
  ['/transactions/user', 'memo=invoice'],
  ['/transactions/user', 'amountMin=1'],
  ['/escrow/list', 'recipient=ADA'],
  ['/escrow/list', 'status=CREATED'],
])('%s?%s searches the newest 10,000 rows, and says so if there are more @lists-40', async (path, filter) => {
  const user = await createUser(api)
  const matches = (n: number) => (/memo|recipient/.test(filter) ? n / every : n)
  await addRows(user.id, 1, searchedRows - 1)
  expect((await list(user, `${path}?${filter}`)).page).not.toHaveProperty('searchedFrom')
  await addRows(user.id, searchedRows, searchedRows)
  const all = await list(user, `${path}?${filter}&sort=oldest`)
  expect(all.page).not.toHaveProperty('searchedFrom')
  expect(all.page.total).toBe(matches(searchedRows))
  await addRows(user.id, searchedRows + 1, searchedRows + 1)
  const newest = await list(user, `${path}?${filter}&sort=oldest`)
  expect(newest.page.searchedFrom).toBe(new Date(Date.parse(at(1)) + 1).toISOString())
  expect(newest.page.total).toBe(matches(searchedRows))
})

test.each(listSorts)('sorted by %s, earlier rows are searched with an earlier end @lists-41', async (sort) => {
  const found: string[] = []
  let to = at(count + 1)
  for (let windows = 1; ; windows++) {
    let cursor = ''
    let page: Page
    do {
      const query = `memo=invoice&sort=${sort}&to=${to}&pageSize=100${cursor}`
      const answer = await list(owner, `/transactions/user?${query}`)
      found.push(...answer.ids)
      page = answer.page
      cursor = page.next ? `&page=2&cursor=${page.next}` : ''
    } while (page.next)
    expect(page.spent?.base).toMatch(/^\d+$/)
    if (page.searchedFrom === undefined) {
      expect(windows).toBe(3)
      break
    }
    to = page.searchedFrom
  }
  const expected = Array.from({ length: count / every }, (_, i) => idOf(owner, (i + 1) * every))
  expect(found.toSorted()).toEqual(expected)
})

test('payouts are found by id, however old they are @lists-42', async () => {
  const ids = [idOf(owner, 7), idOf(owner, count)]
  const found = await list(owner, `/escrow/list?ids=${ids.join(',')}`)
  expect(found.ids).toEqual(ids.toReversed())
  expect(found.page.searchedFrom).toBeUndefined()
})

test('an export with a filter finds rows of any age @lists-43', async () => {
  const answer = await owner.asOwner('GET', '/transactions/export?memo=invoice&sort=smallest')
  const ids = answer.text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[1])
  const expected = Array.from({ length: count / every }, (_, i) => idOf(owner, (i + 1) * every))
  expect(ids.toSorted()).toEqual(expected)
})

describe('rows read', () => {
  type Statement = { toSQL(): { sql: string; params: unknown[] } }
  const db = drizzle({} as DurableObjectStorage) // writes SQL only
  const rowsRead = (statement: Statement) =>
    inHistory(owner.id, (_, { storage }) => {
      const { sql, params } = statement.toSQL()
      const cursor = storage.sql.exec(sql, ...params)
      cursor.toArray()
      return cursor.rowsRead
    })
  const wanted = (filter: Partial<TransactionsWanted>) => transactionsQuery({ now: start, ...filter }, {})
  const called = (text: string) => ({ text, contactIds: [], methods: [] })
  const recipient = called('a')
  const filters = { status: ['failed' as const], memo: 'nothing', amountMin: 5, recipient, from: 1, to: start * 2 }
  /** Twenty contacts with three methods each. */
  const people = Array.from({ length: 20 }, (_, i) => i)
  const methods = people.flatMap((n) => [`n${n}@example.com`, `+1415555${n}`, `0x${String(n).padStart(40, '0')}`])
  const known = { contactIds: people.map((n) => `contact_${n}`), methods }

  const planOf = async (statement: Statement) => {
    const { sql, params } = statement.toSQL()
    const plan = await historyRows<{ detail: string }>(owner.id, `EXPLAIN QUERY PLAN ${sql}`, ...(params as string[]))
    return plan.map((row) => row.detail)
  }

  test.each(listSorts)(
    'sorted by %s, a list is one index search, and a filter one of the newest rows for each slice @lists-12',
    async (sort) => {
      const index = `transaction_view_${sort === 'newest' || sort === 'oldest' ? 'time' : 'amount'}`
      const query = wanted({ sort })
      for (const side of ['after', 'before'] as const)
        for (const cursor of [undefined, { side, sort, key: 5, id: 'pay_list000005' }]) {
          const steps = await planOf(selectRows(db, query, { limit: 25, offset: 50, cursor }))
          // Without a bound, the index is read from its beginning.
          const step = `${cursor ? 'SEARCH' : 'SCAN'} transaction_view USING INDEX ${index}`
          expect(steps.map((each) => each.replace(/ \(.*/, ''))).toEqual([step])
          // The cursor seeks in the index instead of filtering all rows before it.
          if (cursor) expect(steps[0]).toMatch(/ \(.*\((created_at|amount),id\)[<>]\(\?,\?\)/)
        }
      expect((await planOf(selectTotal(db, query)))[0]).toMatch(/^SCAN transaction_view USING COVERING INDEX /)

      const all = { status: ['failed' as const], memo: 'x', amountMin: 5, recipient, from: start, to: start + 1e9 }
      const [before, end] = [
        { at: start + 2, id: 'x' },
        { at: start, id: '' },
      ]
      for (const filter of [{ memo: 'x' }, { recipient }, { amountMin: 5 }, all]) {
        const search = wanted({ ...filter, sort })
        const inTime = 'transaction_view_time ((created_at,id)>(?,?) AND (created_at,id)<(?,?))'
        const what = JSON.stringify(filter)
        expect(await planOf(selectMatches(db, search, before, end)), what).toEqual([
          `SEARCH transaction_view USING INDEX ${inTime}`,
        ])
        expect((await planOf(selectSliceEnd(db, search, before)))[0], what).toMatch(
          /^SEARCH transaction_view USING COVERING INDEX transaction_view_time \(/,
        )
      }
    },
  )

  test.each(listSorts)('sorted by %s, a filter reads a thousand rows at a time @lists-44', async (sort) => {
    const read = (query: ListQuery, cursor?: ListCursor) =>
      inHistory(owner.id, async (_, { storage }) => {
        const { exec } = storage.sql
        const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
        const sql = {
          exec: (...input: Parameters<typeof exec>) => cursors[cursors.push(exec.apply(storage.sql, input)) - 1]!,
        }
        await readPage(drizzle({ sql } as unknown as DurableObjectStorage), query, { page: 1, pageSize: 25, cursor })
        const rows = cursors.map((each) => each.rowsRead)
        return { most: Math.max(...rows.slice(1)), all: rows.reduce((sum, each) => sum + each, 0) }
      })
    const expectFew = async (query: ListQuery, cursor?: ListCursor) => {
      const { most, all } = await read(query, cursor)
      expect(most).toBeLessThan(1_010)
      // The index up to the oldest row, the ends of the slices, and the rows themselves.
      expect(all).toBeLessThan(3 * searchedRows + 200)
    }
    for (const filter of [
      { memo: 'nothing' },
      { recipient: called('nobody') },
      { recipient: { text: 'nobody', ...known } },
      { contact: { contactIds: ['contact_1'], methods: methods.slice(0, 3) } },
      { status: ['completed' as const] },
      { from: 1 },
      filters,
    ]) {
      const query = wanted({ ...filter, sort })
      for (const cursor of [undefined, { side: 'after' as const, sort, key: start, id: 'x' }])
        await expectFew(query, cursor)
    }
    await expectFew(payoutsQuery({ sort, recipient: 'nobody' }))
    const byId = payoutsQuery({ sort, ids: [idOf(owner, 7)] })
    expect(await rowsRead(selectRows(db, byId, { limit: 25 }))).toBeLessThan(10)
    expect(await rowsRead(selectTotal(db, byId))).toBeLessThan(10)
  })

  test('while a filter searches, other calls of the same History are answered @lists-57', async () => {
    const found = inHistory(owner.id, async (history, { storage }) => {
      const query = wanted({ memo: 'nothing' })
      let isOver = false
      const page = readPage(drizzle(storage), query, { page: 1, pageSize: 25 }).then((read) => {
        isOver = true
        return read
      })
      let turns = 0
      for (; !isOver; turns++) {
        await history.position()
        await nextTurn()
      }
      return { total: (await page).page.total, turns }
    })
    expect((await found).total).toBe(0)
    expect((await found).turns).toBeGreaterThanOrEqual(searchedRows / 1_000)
  })

  test.each(listSorts)(
    'sorted by %s, a slice of an export reads as many rows as it may return @lists-45',
    async (sort) => {
      for (const filter of [{}, filters]) {
        const query = wanted({ ...filter, sort })
        expect(await rowsRead(selectSlice(db, query, 500, null))).toBeLessThanOrEqual(501)
        const cursor = {
          side: 'after' as const,
          sort,
          key: sort === 'oldest' || sort === 'newest' ? start + minuteMs : 5e6,
          id: 'x',
        }
        expect(await rowsRead(selectSlice(db, query, 500, cursor))).toBeLessThanOrEqual(501)
      }
    },
  )
})
