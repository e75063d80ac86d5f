/**
 * How many rows the answers read in an account with 200,000 payments and 100,000 rows in its audit log. SQLite in workerd counts
 * them: a thousand take a millisecond or two.
 * @module-tag all
 */
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { changeKindNames } from '#domain/events.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import { type ChangesWanted, changesAtOnce, changesPerPage } from '#schemas/change.ts'
import { type ListQuery, payoutsQuery, selectRows, transactionsQuery } from '../../worker/history/lists.ts'
import { readPage, readSlice } from '../../worker/history/pages.ts'
import { listChanges } from '../../worker/treasury/reports/review/list.ts'
import { counted } from '../support/countedRows.ts'
import { historyRows, inHistory } from '../support/histories.ts'
import { inTreasury } from '../support/treasuries.ts'
import { createApi, createUser, seed } from './apiClient.ts'

const payments = 200_000
const auditRows = 100_000
const start = Date.UTC(2026, 0, 1)
const end = start + payments * minuteMs
/** Ada got every thousandth payment, by one of three ways, and every tenth payout is open. */
const every = 1_000
const contact = { contactIds: ['con_ada'], methods: ['ada@bursar.test', '+14155550123', `0x${'ad'.repeat(20)}`] }
let user: string

beforeAll(async () => {
  await seed()
  ;({ id: user } = await createUser(createApi()))
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const id = "'pay_' || substr('000000' || i, -6)"
  const isAda = (way: number) => `i % ${every} = 0 AND i / ${every} % 4 = ${way}`
  await historyRows(
    user,
    `INSERT INTO transaction_view (id, seq, created_at, status, category, amount, wallet_id, chain, contact_id, body)
     ${numbers(payments)} SELECT ${id}, 1, ${start} + i * ${minuteMs}, 'CONFIRMED', 'address', 1000000, 'w', 'base',
       CASE WHEN ${isAda(0)} THEN 'con_ada' END,
       json_object('id', ${id}, 'recipientEmail', CASE WHEN ${isAda(1)} THEN 'ada@bursar.test' END,
         'recipientPhone', CASE WHEN ${isAda(2)} THEN '+14155550123' END,
         'toAddress', CASE WHEN ${isAda(3)} THEN '0x${'Ad'.repeat(20)}' ELSE '0x' || i END) FROM n`,
  )
  await historyRows(
    user,
    `INSERT INTO payout_view (id, seq, created_at, status, amount, chain, expires_at, body)
     ${numbers(payments)} SELECT ${id}, 1, ${start} + i * ${minuteMs},
       CASE WHEN i % 1000 = 0 THEN 'CREATED' ELSE 'WITHDRAWN' END, 1000000, 'base', ${start} + i * ${minuteMs} + ${30 * dayMs},
       json_object('id', ${id}) FROM n`,
  )
  await inTreasury(user, ({ context: { store, userId } }) => {
    store.run(
      `INSERT INTO audit (seq, at, event, ref, data, "by", via, shown, previous, hash)
       ${numbers(auditRows)} SELECT i + 10, ${start} + i * ${minuteMs}, CASE WHEN i % 100 = 0 THEN 'agent.created' ELSE 'account.limits_set' END,
         'agt_' || i, '{"group":"grp"}', CASE WHEN i % 1000 = 0 THEN 'operator' ELSE ? END, NULL,
         CASE WHEN i % 100 = 0 THEN 'agents' ELSE 'account' END, '', '' FROM n`,
      userId,
    )
  })
})

describe('the history of changes @answers-30', () => {
  const middle = start + (auditRows / 2) * minuteMs
  const filters: ChangesWanted[] = [
    {},
    { kind: ['agents'] },
    { kind: ['people'] },
    { kind: [...changeKindNames] },
    { by: 'owner' },
    { by: 'operator' },
    { by: 'usr_nobody' },
    { by: 'operator', kind: ['agents', 'webhooks'] },
    { from: middle, to: middle + dayMs },
    { from: middle, to: middle + dayMs, by: 'operator' },
    { to: start + dayMs, kind: ['agents'] },
    { made: 'true' },
    { made: 'true', by: 'operator', kind: ['agents'] },
  ]
  test.each(filters)('with %j reads at most 2,000 rows for a page, and for a part of its file', async (wanted) => {
    for (const [before, limit] of [
      [null, changesPerPage],
      [50_000, changesPerPage],
      [50_000, changesAtOnce],
    ] as const) {
      const { all } = await inTreasury(user, ({ context }, { storage }) =>
        counted(storage, () => listChanges({ ...context, now: () => end }, wanted, before, limit)),
      )
      expect(all).toBeLessThanOrEqual(2_000)
    }
  })
})

describe('lists of payments @answers-31', () => {
  const rowsOf = (query: ListQuery) =>
    inHistory(user, (_, { storage }) =>
      counted(storage, () => readPage(drizzle(storage), query, { page: 1, pageSize: 25 })),
    )

  test('everything that was paid to a person is found, however old, by as many rows as it has', async () => {
    for (const sort of ['newest', 'smallest'] as const) {
      const query = transactionsQuery({ contact, sort, now: end }, {})
      const { result, all } = await rowsOf(query)
      expect(result.page).toMatchObject({ total: payments / every, spent: { base: String(payments / every) } })
      expect(result.page).not.toHaveProperty('searchedFrom')
      expect(all).toBeLessThan(5 * (payments / every) + 200)
      const file = await inHistory(user, (_, { storage }) => readSlice(drizzle(storage), query, 250, null))
      expect([JSON.parse(file.rows).length, file.next]).toEqual([payments / every, null])
    }
  })

  test('payouts that expire soon are found by as many rows as there are, and sorting by expiry reads one page', async () => {
    // The open ones expire 1,000 minutes apart from the 30th day on.
    const query = payoutsQuery({ expiresBefore: start + 37 * dayMs, sort: 'soonest' })
    const { result, all } = await rowsOf(query)
    expect(result.page.total).toBe(10)
    expect(result.page).not.toHaveProperty('searchedUntil')
    expect(all).toBeLessThan(200)
    for (const sort of ['soonest', 'latest'] as const) {
      const read = await inHistory(user, (_, { storage }) =>
        counted(storage, () =>
          selectRows(drizzle(storage), payoutsQuery({ sort }), {
            limit: 25,
            cursor: { side: 'after', sort, key: end, id: 'x' },
          }).all(),
        ),
      )
      expect([read.result.length, read.all]).toEqual([25, 25])
    }
  })

  test('by wallet and group, a filter reads a thousand rows at a time', async () => {
    const { result, most } = await rowsOf(transactionsQuery({ wallet: 'w', group: 'grp', now: end }, {}))
    expect(result.page.searchedFrom).toEqual(expect.any(String))
    // The first statement finds where the search ends, in the index alone.
    expect(most).toBeLessThanOrEqual(10_001)
  })
})
