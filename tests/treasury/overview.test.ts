import { expect, test } from 'vitest'
import { dayMs, hourMs } from '#domain/time.ts'
import { overviewOf } from '../../worker/services/overview.ts'
import type { PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { figures } from '../../worker/treasury/reports/overview.ts'
import { addressOf } from '../support/build.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'
import { agentRow, groupRow, paymentRow, payoutRow } from '../support/rows.ts'

/** Writes the rows that payments leave, with only the columns that matter here. */
function historyIn(treasury: MemoryTreasury) {
  const { store, clock, context } = treasury
  let made = 0
  const wallet = (id: string, at: number) =>
    store.run(
      `INSERT INTO wallet (id, chain_id, kind, address, owner, status, factory, salt, session_key, sealed_key, session_limit, valid_until, scanned_block, created_at)
       VALUES (?, 8453, 'smart', ?, '0x2', 'active', '0x3', '0x', '0x4', '', 1, 1, 1, ?)`,
      id,
      `0x${id}`,
      at,
    )
  const group = (id: string, paused = 0) => store.insert('policy_group', groupRow({ id, paused }))
  const agent = (id: string, groupId: string, lastActivity: number | null, paused = 0) =>
    store.insert('agent', agentRow({ id, group_id: groupId, last_activity_at: lastActivity, paused }))
  const payment = (over: Partial<PaymentRow> & { contact?: string; at?: number }) => {
    const { contact = null, at = clock.now, ...columns } = over
    const id = `pay_${made++}`
    store.insert(
      'payment',
      paymentRow({
        id,
        to_address: addressOf(9),
        contact_id: contact,
        contact_name: contact,
        created_at: at,
        accepted_at: at,
        confirmed_at: at,
        ...columns,
      }),
    )
    recordChange(context, id)
    return id
  }
  const history = createMemoryHistory(treasury)
  const figuresNow = () =>
    overviewOf(
      { totalBalance: '0', balanceAsOf: null, ...figures(context) },
      history.follow().figures('base', clock.now),
    )
  return { wallet, group, agent, payment, figuresNow }
}

test('the overview lists five recipients, three wallets and three agents out of more, in order @figures-3', () => {
  const treasury = createMemoryTreasury(1_000_000n, 1_000_000n)
  const { store, clock } = treasury
  const { wallet, group, agent, payment, figuresNow } = historyIn(treasury)
  for (const id of ['w2', 'w3', 'w4']) wallet(id, clock.now)
  for (const [id, count] of [
    ['wal', 2],
    ['w2', 4],
    ['w3', 1],
    ['w4', 3],
  ] as const)
    for (let i = 0; i < count; i++) payment({ wallet_id: id, at: clock.now - 10 * hourMs })
  const newest = [1, 2, 3, 4, 5, 6].map((i) =>
    payment({ to_address: `0x${String(i).repeat(40)}`, at: clock.now - i * hourMs }),
  )
  payment({ contact: 'Carol', at: clock.now - 9 * hourMs })
  const ofCarol = payment({ contact: 'Carol', at: clock.now - 2.5 * hourMs })
  group('open')
  group('shut', 1)
  for (const [i, id] of ['a', 'b', 'c', 'd'].entries()) agent(id, 'open', clock.now - i)
  agent('never', 'open', null)
  agent('paused', 'open', clock.now + 1, 1)
  agent('of a paused group', 'shut', clock.now + 2)

  const seen = figuresNow()
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
  expect(figuresNow().activeAgents.map(({ name }) => name)).toEqual(['a', 'c', 'd'])
  treasury.close()
})

test('failures of the last 24 hours are counted to the millisecond, without reclaimed payouts @figures-4', () => {
  const treasury = createMemoryTreasury(1_000_000n, 1_000_000n)
  const { clock } = treasury
  const { payment, figuresNow } = historyIn(treasury)
  const dayAgo = clock.now - dayMs
  payment({ status: 'FAILED', at: dayAgo })
  payment({ status: 'POLICY_REJECTED', accepted_at: null, refusal: '{}', created_at: dayAgo + 1 })
  for (const status of ['CONFIRMED', 'PENDING'] as const) payment({ status })
  const returned = payment({ status: 'CANCELLED', kind: 'payout' })
  treasury.store.insert('payout', payoutRow({ id: returned, status: 'RECLAIMED' }))
  expect(figuresNow()).toMatchObject({ failed: 2, failedToday: 1 })
  clock.now += 1
  expect(figuresNow()).toMatchObject({ failed: 2, failedToday: 0 })
  treasury.close()
})
