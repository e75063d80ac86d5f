/** The cost of answers about an account with 200,000 payments to 10,000 recipients, and the routes that give them. */
import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { type All, agentRequests, paidTo, refusals } from '../../worker/history/answers.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { inHistory } from '../support/histories.ts'
import { prepare } from '../support/payer.ts'

beforeAll(prepare)

const now = Date.UTC(2026, 10, 29, 12)
const payments = 200_000
const recipients = 10_000

test('answers about 200,000 payments to 10,000 recipients read three rows for each recipient at most, in two statements @answers-7', {
  tags: ['all'],
}, async () => {
  const user = 'usr_many'
  await inHistory(user as never, (_, { storage: { sql } }) => {
    // Within 90 days; a tenth are purchases at 500 hosts; 40 agents, each of whose days has several rules.
    const numbers = 'WITH RECURSIVE number (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < ?)'
    const at = `${now} - (i * 7919 % 90) * ${dayMs} - i % 1000`
    sql.exec(
      `${numbers} INSERT INTO counted (id, chain, wallet_id, at, amount, state, method, spent_at, recipient, address)
       SELECT 'pay_' || i, 'base', 'wal', ${at}, 1 + i % 5000, 'confirmed', 'address', ${at},
         CASE WHEN i % ${recipients} < ${recipients / 10} THEN 'api' || (i % 500) || '.example.com 0x' || (i % ${recipients})
           ELSE '0x' || (i % ${recipients}) END, '0x1' FROM number`,
      payments - 1,
    )
    sql.exec(
      `${numbers} INSERT INTO decision (id, group_id, agent_id, at, n, chain, answer, rules, amount, needs, body)
       SELECT 'pay_' || i, 'grp', 'agt_' || (i % 40), ${at}, i, 'base',
         CASE WHEN i % 10 = 0 THEN 'refused' ELSE 'allowed' END,
         CASE WHEN i % 10 = 0 THEN 'rule_' || (i % 3) ELSE '' END, 1 + i % 5000, 5, '{}' FROM number`,
      payments - 1,
    )
    let statements = 0
    let rows = 0
    const all: All = (query, ...values) => {
      const cursor = sql.exec(query, ...values)
      const found = cursor.toArray()
      statements += 1
      rows += cursor.rowsRead
      return found as never
    }
    const cost = (work: () => unknown) => {
      ;[statements, rows] = [0, 0]
      work()
      return { statements, rows }
    }
    for (const by of ['recipient', 'seller'] as const)
      for (const period of ['week', 'month'] as const) {
        const read = cost(() => paidTo(all, { by, period, limit: 100, chain: 'base', now }))
        expect(read.statements).toBe(2)
        // Each statement reads all, and sorting reads what it has found.
        expect(read.rows, `${by} ${period}`).toBeLessThan(3 * recipients + 5_000)
      }
    const ofAgent = cost(() => agentRequests(all, 'agt_0', { period: 'month', now }))
    expect(ofAgent.rows).toBeLessThan(1_500)
    const ofAll = cost(() => refusals(all, { period: 'month', now }))
    expect(ofAll.rows).toBeLessThan(5_000)
    expect(ofAll.statements).toBeLessThanOrEqual(101)
  })
})

test('owners and members read the answers of their account, and nobody else’s agent is found @answers-8', async () => {
  const api = await createTestApp()
  const home = await createAccountFixture(api)
  const paid = await home.pay({ to: { type: 'address', address: `0x${'34'.repeat(20)}` }, amount: '1.5' })
  expect(paid.status, paid.text).toBe(201)
  const refused = await home.pay({ to: { type: 'address', address: `0x${'34'.repeat(20)}` }, amount: '100000' })
  expect(refused.status).toBeGreaterThanOrEqual(400)
  const get = async (path: string) => (await home.asOwner('GET', `/usage/${path}`)).json
  const agent = (await get(`agents/${home.agent}?period=week`)).data
  expect(agent).toMatchObject({ agent: { id: home.agent, isDeleted: false } })
  expect(agent.sums.map(({ answer, count }: { answer: string; count: number }) => [answer, count])).toEqual([
    ['refused', 1],
    ['allowed', 1],
  ])
  const { rows } = (await get('refusals')).data
  expect(rows).toMatchObject([{ agentId: home.agent, agentName: agent.agent.name, count: 1, amount: '100000' }])
  expect((await get('recipients?by=seller')).data).toMatchObject({ rows: [], spent: '0' })
  expect((await home.asOwner('GET', '/usage/recipients?period=year')).status).toBe(400)
  expect((await home.asOwner('GET', '/usage/recipients?limit=101')).status).toBe(400)
  const other = await createAccountFixture(api)
  expect((await other.asOwner('GET', `/usage/agents/${home.agent}`)).status).toBe(404)
})
