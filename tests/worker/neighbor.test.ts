/** The neighbor test in short. The whole form, against a clock: `npm run test:long neighbor`. */

import { expect, test, vi } from 'vitest'
import { defaultLimits } from '../../worker/domain/limits.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { historyRows } from '../support/histories.ts'
import { within } from '../support/patience.ts'
import { fresh } from '../support/payer.ts'
import { createUser, env, login, refresh } from './apiClient.ts'

const connections = 24
const rounds = 8
const rows = 10_000
const { userCallBurst, userCallsPerSecond, userCallsAtOnce, userListsAtOnce, userSearchCost } = defaultLimits
const ofCalls = { userCallBurst, userCallsPerSecond, userCallsAtOnce, userListsAtOnce, userSearchCost }
const limits = { LIMITS: JSON.stringify(ofCalls) }

/** Gives the account as many contacts and transactions as a filter searches. */
async function fill(userId: string, now: number): Promise<void> {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`
  await env.DB.prepare(
    `INSERT INTO contact (id, user_id, name, email, search_text, created_at, updated_at)
       ${numbers} SELECT ?1 || i, ?1, 'Person ' || i, 'p' || i || '@x.test', 'person ' || i, ?2 - i, ?2 FROM n WHERE i <= 9000`,
  )
    .bind(userId, now)
    .run()
  await historyRows(
    userId,
    `INSERT INTO transaction_view (id, seq, created_at, status, category, amount, wallet_id, chain, body)
     ${numbers} SELECT ?1 || i, 1, ?2 - i, 'CONFIRMED', 'address', 1000000, 'wal', 'base',
       json_object('id', ?1 || i, 'createdAt', '2026-01-01T00:00:00.000Z', 'memo', 'Invoice ' || i) FROM n`,
    userId,
    now,
  )
}

test('one account calls without end over 24 connections; another pays, signs in and claims beside it @neighbor-1', async () => {
  const api = await createTestApp()
  const { token, refreshToken, id } = await createUser(api)
  await fill(id, api.clock.now)
  const honest = await createAccountFixture(api)
  const { email, password } = await createUser(api)
  const payouts = await Promise.all(Array.from({ length: rounds }, () => honest.createPayout({ amount: '1' })))

  const counts = { accepted: 0, cost: 0, refused: 0, refreshes: 0 }
  const failed: string[] = []
  let isOver = false
  const create = [1, ''] as const
  // Mostly what all accounts share: the lists of transactions are in the account's own object.
  const paths: (readonly [cost: number, path: string])[] = [
    [1, '/contacts?page=80'],
    create,
    [1, '/transactions/user?page=90&pageSize=100'],
    create,
    [userSearchCost, '/contacts?search=zzzz'],
    create,
    [userSearchCost, '/contacts?search=yyyy&page=2'],
    create,
    [userSearchCost, '/transactions/export?memo=zzzz'],
    create,
    create,
  ]
  let session = refreshToken
  const renew = async () => {
    const answer = await refresh(api, session)
    if (answer.status !== 200) {
      failed.push(`refresh ${answer.text}`)
      return
    }
    session = answer.json.data.refreshToken
    counts.refreshes++
  }
  const attack = async (turn: number) => {
    const [cost, path] = paths[turn % paths.length]!
    const answer =
      path === ''
        ? await api.call('POST', '/api/contacts', { token, env: limits, body: { name: 'X', email: `${turn}@x.test` } })
        : await api.call('GET', `/api${path}`, { token, env: limits })
    if (answer.status === 429) counts.refused++
    else if (answer.status < 300) {
      counts.accepted++
      counts.cost += cost
    } else failed.push(`${path} ${answer.status}`)
  }
  const connection = async (i: number) => {
    for (let turn = i; !isOver; turn++) {
      await (i === 0 ? renew() : attack(turn))
      await scheduler.wait(1) // a refused call does no I/O: without this, nobody else would have a turn
    }
  }
  const attackers = Array.from({ length: connections }, (_, i) => connection(i))

  const startedAt = api.clock.now
  const during: Record<string, number[]> = { pay: [], 'sign in': [], 'opened link': [] }
  const beside = async (name: string, call: () => Promise<{ status: number; text: string }>) => {
    api.clock.now += 100
    const before = counts.accepted
    const { status, text } = await call()
    expect(status, `${name}: ${text}`).toBeLessThan(300)
    during[name]!.push(counts.accepted - before)
  }
  try {
    for (const { link, passcode } of payouts) {
      await beside('pay', () => honest.pay({ to: { type: 'address', address: fresh('x') }, amount: '0.01' }))
      await beside('sign in', () => login(api, email, password))
      await beside('opened link', () => api.call('GET', `/api/escrow/claim/${link}`))
      // Waits for the node, so other accounts' calls during it say nothing about turns.
      const body = { accessToken: link, passcode, recipientAddress: fresh('y') }
      const claimed = await api.call('POST', '/api/escrow/claim', { body })
      expect(claimed.status, claimed.text).toBe(200)
    }
    await vi.waitUntil(() => counts.refused > 0, within(60_000)) // until its quota is used up
  } finally {
    isOver = true
    await Promise.all(attackers)
  }
  expect(failed).toEqual([])
  const seconds = (api.clock.now - startedAt) / 1000
  for (const [name, calls] of Object.entries(during))
    expect(Math.max(...calls), `accepted calls of the account during a ${name}`).toBeLessThanOrEqual(connections)
  expect(counts.cost, 'within its quota').toBeLessThanOrEqual(userCallBurst + userCallsPerSecond * seconds)
})
