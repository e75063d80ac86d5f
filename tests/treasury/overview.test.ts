import { expect, test } from 'vitest'
import { dayMs, hourMs } from '#domain/time.ts'
import { figures } from '../../worker/treasury/reports/overview.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'

/** Writes the rows that payments leave, with only the columns that matter here. */
function historyIn({ store, clock }: MemoryTreasury) {
  let made = 0
  const wallet = (id: string, at: number) =>
    store.run(
      `INSERT INTO wallet (id, chain_id, kind, address, owner, status, factory, salt, session_key, sealed_key, session_limit, valid_until, scanned_block, created_at)
       VALUES (?, 8453, 'smart', ?, '0x2', 'active', '0x3', '0x', '0x4', '', 1, 1, 1, ?)`,
      id,
      `0x${id}`,
      at,
    )
  const group = (id: string, paused = 0) =>
    store.run(
      "INSERT INTO policy_group (id, wallet_id, name, scopes, paused, created_at, approve_new_recipient, approval_ttl_hours, duplicate_minutes) VALUES (?, 'wal', ?, '[]', ?, 0, 0, 24, 0)",
      id,
      id,
      paused,
    )
  const agent = (id: string, groupId: string, lastActivity: number | null, paused = 0) =>
    store.run(
      'INSERT INTO agent (id, group_id, name, client_id, last_activity_at, paused, created_at) VALUES (?, ?, ?, ?, ?, ?, 0)',
      id,
      groupId,
      id,
      id,
      lastActivity,
      paused,
    )
  const payment = (over: {
    to?: string
    contact?: string
    wallet?: string
    status?: string
    at?: number
    kind?: string
  }) => {
    const at = over.at ?? clock.now
    const id = `pay_${made++}`
    store.run(
      `INSERT INTO payment (id, kind, wallet_id, to_type, to_address, contact_id, contact_name, amount, status, created_at, confirmed_at, give_up_at)
       VALUES (?, ?, ?, 'address', ?, ?, ?, 1000000, ?, ?, ?, ?)`,
      id,
      over.kind ?? 'send',
      over.wallet ?? 'wal',
      over.to ?? `0x${'9'.repeat(40)}`,
      over.contact ?? null,
      over.contact ?? null,
      over.status ?? 'CONFIRMED',
      at,
      at,
      at,
    )
    return id
  }
  return { wallet, group, agent, payment }
}

test('the overview lists five recipients, three wallets and three agents out of more, in order @figures-3', () => {
  const treasury = createMemoryTreasury(1_000_000n, 1_000_000n)
  const { context, store, clock } = treasury
  const { wallet, group, agent, payment } = historyIn(treasury)
  for (const id of ['w2', 'w3', 'w4']) wallet(id, clock.now)
  for (const [id, count] of [
    ['wal', 2],
    ['w2', 4],
    ['w3', 1],
    ['w4', 3],
  ] as const)
    for (let i = 0; i < count; i++) payment({ wallet: id, at: clock.now - 10 * hourMs })
  const newest = [1, 2, 3, 4, 5, 6].map((i) => payment({ to: `0x${String(i).repeat(40)}`, at: clock.now - i * hourMs }))
  payment({ contact: 'Carol', at: clock.now - 9 * hourMs })
  const ofCarol = payment({ contact: 'Carol', at: clock.now - 2.5 * hourMs })
  group('open')
  group('shut', 1)
  for (const [i, id] of ['a', 'b', 'c', 'd'].entries()) agent(id, 'open', clock.now - i)
  agent('never', 'open', null)
  agent('paused', 'open', clock.now + 1, 1)
  agent('of a paused group', 'shut', clock.now + 2)

  const seen = figures(context)
  expect(seen.topWallets.map(({ id, count }) => [id, count])).toEqual([
    ['wal', 10],
    ['w2', 4],
    ['w4', 3],
  ])
  expect(seen.recipients.map(({ lastPaymentId, contactId, count }) => [lastPaymentId, contactId, count])).toEqual([
    [newest[0], null, 1],
    [newest[1], null, 1],
    [ofCarol, 'Carol', 2],
    [newest[2], null, 1],
    [newest[3], null, 1],
  ])
  expect([seen.agentCount, seen.activeAgentCount]).toEqual([7, 5])
  expect(seen.activeAgents.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  store.run("UPDATE agent SET paused = 1 WHERE id = 'b'")
  expect(figures(context).activeAgents.map(({ name }) => name)).toEqual(['a', 'c', 'd'])
  treasury.close()
})

test('failures of the last 24 hours are counted to the millisecond, without reclaimed payouts @figures-4', () => {
  const treasury = createMemoryTreasury(1_000_000n, 1_000_000n)
  const { context, clock } = treasury
  const { payment } = historyIn(treasury)
  const dayAgo = clock.now - dayMs
  payment({ status: 'FAILED', at: dayAgo })
  payment({ status: 'POLICY_REJECTED', at: dayAgo + 1 })
  for (const status of ['CONFIRMED', 'PENDING']) payment({ status })
  payment({ status: 'CANCELLED', kind: 'payout' })
  expect(figures(context)).toMatchObject({ failed: 2, failedToday: 1 })
  clock.now += 1
  expect(figures(context)).toMatchObject({ failed: 2, failedToday: 0 })
  treasury.close()
})
