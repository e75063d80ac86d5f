/** Spending per day, and the history of a budget. */

import { expect, test } from 'vitest'
import { decodeRowCursor } from '#domain/lists.ts'
import type { MicroUsdc } from '#domain/money.ts'
import { dayMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { budgetHistory } from '../../worker/treasury/reports/budgetHistory.ts'
import { createGroup, editGroup, topUp } from '../../worker/treasury/reports/changes/groups.ts'
import { spendingOf } from '../../worker/treasury/reports/spending.ts'
import { usageOf } from '../../worker/treasury/reports/usage.ts'
import { groupEdit, groupInput, usdc } from '../support/build.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'
import { agentRow, groupRow, paymentRow, payoutRow } from '../support/rows.ts'

/**
 * Writes the rows of settled payments, accepted 3 days earlier. `at` (ms): confirmation of a send or a purchase, withdrawal of a
 * payout that was funded when it was accepted.
 */
function spenderIn({ store }: MemoryTreasury) {
  let made = 0
  return (over: {
    at: number
    usdc: number
    agent?: string
    group?: string
    wallet?: string
    kind?: 'payout' | 'x402'
  }) => {
    const accepted = over.at - 3 * dayMs
    const isPayout = over.kind === 'payout'
    const id = `pay_${made++}`
    const amount = over.usdc * 1_000_000
    store.insert(
      'payment',
      paymentRow({
        id,
        kind: over.kind ?? 'send',
        wallet_id: over.wallet ?? 'wal',
        group_id: over.group ?? null,
        agent_id: over.agent ?? null,
        amount,
        status: isPayout ? 'PENDING' : 'CONFIRMED',
        created_at: accepted,
        accepted_at: accepted,
        confirmed_at: isPayout ? accepted : over.at,
      }),
    )
    if (isPayout) {
      store.insert('payout', payoutRow({ id, amount, status: 'WITHDRAWN', done_at: over.at }))
      store.update('payment', id, { status: 'CONFIRMED' })
    }
    if (over.group) store.run('UPDATE policy_group SET spent = spent + ? WHERE id = ?', amount, over.group)
  }
}

function spending({ context }: MemoryTreasury, days: number, by: 'agent' | 'group', walletId?: string) {
  return unwrap(spendingOf(context, { days, by, walletId }))
}

test('spending per day counts sends and purchases when confirmed and payouts when withdrawn, from the span’s first millisecond @history-1', () => {
  const treasury = createMemoryTreasury(1n, 1n)
  const { clock, store } = treasury
  const spend = spenderIn(treasury)
  const today = Date.UTC(2026, 10, 20)
  store.insert('policy_group', groupRow({ id: 'g' }))
  for (const id of ['scout', 'buyer'])
    store.insert('agent', agentRow({ id, group_id: 'g', name: `Name of ${id}`, deleted_at: id === 'buyer' ? 1 : null }))
  spend({ at: today - 6 * dayMs, usdc: 1, agent: 'scout', kind: 'x402' })
  spend({ at: today - 6 * dayMs - 1, usdc: 100, agent: 'scout' })
  spend({ at: today - 1, usdc: 2, agent: 'scout', kind: 'payout' })
  spend({ at: clock.now, usdc: 4, agent: 'buyer' })
  spend({ at: today, usdc: 8 })
  store.run("UPDATE payment SET status = 'PENDING' WHERE id = (SELECT id FROM payment WHERE amount = 8000000)")
  spend({ at: today, usdc: 16 })
  const week = spending(treasury, 7, 'agent')
  expect(week.days).toEqual([14, 15, 16, 17, 18, 19, 20].map((day) => `2026-11-${day}`))
  expect(week.previous, 'the week before').toEqual(['0', '0', '0', '0', '0', '0', '100'])
  expect(spending(treasury, 30, 'agent').previous).toEqual(Array(30).fill('0'))
  expect(week.series).toEqual([
    {
      kind: 'user',
      id: null,
      name: 'User',
      order: null,
      total: '16',
      count: 1,
      amounts: ['0', '0', '0', '0', '0', '0', '16'],
    },
    {
      kind: 'agent',
      id: 'buyer',
      name: 'Name of buyer',
      order: 0,
      total: '4',
      count: 1,
      amounts: ['0', '0', '0', '0', '0', '0', '4'],
    },
    {
      kind: 'agent',
      id: 'scout',
      name: 'Name of scout',
      order: 1,
      total: '3',
      count: 2,
      amounts: ['1', '0', '0', '0', '0', '2', '0'],
    },
  ])
  expect(spending(treasury, 30, 'group').series.map(({ total, count }) => [total, count])).toEqual([['123', 5]])
  // The sum over single payments is the same.
  const sum = store.first<{ sum: number }>(
    `SELECT sum(amount) AS sum FROM payment WHERE status = 'CONFIRMED' 
       AND coalesce((SELECT done_at FROM payout WHERE payout.id = payment.id), confirmed_at) >= ?`,
    today - 6 * dayMs,
  )!
  expect(sum.sum).toBe(23_000_000)
  treasury.close()
})

test('spending with more than six series merges the smallest, and counts test money only for its own wallet @history-2', () => {
  const treasury = createMemoryTreasury(1n, 1n)
  const { store, clock, context } = treasury
  const spend = spenderIn(treasury)
  store.run(
    `INSERT INTO wallet (id, chain_id, kind, address, owner, status, factory, salt, session_key, sealed_key, session_limit, valid_until, scanned_block, created_at)
     VALUES ('test', 84532, 'smart', '0x9', '0x2', 'active', '0x3', '0x', '0x4', '', 1, 1, 1, 0)`,
  )
  for (let i = 1; i <= 6; i++) spend({ at: clock.now, usdc: i, agent: `a${i}` })
  const totals = () => spending(treasury, 7, 'agent').series.map(({ kind, total }) => `${kind} ${total}`)
  expect(totals()).toEqual(['agent 6', 'agent 5', 'agent 4', 'agent 3', 'agent 2', 'agent 1'])
  spend({ at: clock.now, usdc: 7, agent: 'a7' })
  spend({ at: clock.now, usdc: 50, agent: 'a8', wallet: 'test' })
  expect(totals()).toEqual(['agent 7', 'agent 6', 'agent 5', 'agent 4', 'agent 3', 'others 3'])
  expect(spending(treasury, 7, 'agent').series.at(-1)).toMatchObject({ name: '2 others', count: 2 })
  expect(spending(treasury, 7, 'agent', 'test').series.map(({ total }) => total)).toEqual(['50'])
  expect(spendingOf(context, { days: 7, by: 'agent', walletId: 'gone' })).toMatchObject({
    ok: false,
    code: 'not_found',
  })
  treasury.close()
})

test('budget history shows limit and spending per day, and the changes in pages @history-3', () => {
  const treasury = createMemoryTreasury(1n, 1n)
  const { context, clock } = treasury
  const spend = spenderIn(treasury)
  const group = unwrap(createGroup(context, groupInput({ name: 'Research', spendLimit: usdc('50') }))).id
  const edit = (name: string, spendLimit: MicroUsdc | null | undefined) =>
    editGroup(context, group, groupEdit({ name, spendLimit }))
  spend({ at: clock.now, usdc: 10, group, kind: 'x402' })
  clock.now += dayMs
  expect(topUp(context, group, usdc('25.5'), null).ok).toBe(true)
  expect(edit('Another name', undefined).ok, 'a new name does not change the budget').toBe(true)
  clock.now += 2 * dayMs
  spend({ at: clock.now, usdc: 20, group, kind: 'payout' })
  expect(edit('Another name', null).ok).toBe(true)
  clock.now += dayMs

  const history = (days: number, before?: string) =>
    unwrap(budgetHistory(context, group, { days, before: before ? decodeRowCursor(before)! : undefined }))
  expect(history(7).days).toEqual([
    { day: '2026-11-20', limit: '50', spent: '10' },
    { day: '2026-11-21', limit: '75.5', spent: '10' },
    { day: '2026-11-22', limit: '75.5', spent: '10' },
    { day: '2026-11-23', limit: null, spent: '30' },
    { day: '2026-11-24', limit: null, spent: '30' },
  ])
  expect(history(30).changes.map(({ kind, amount, limit }) => [kind, amount, limit])).toEqual([
    ['changed', null, null],
    ['topped_up', '25.5', '75.5'],
    ['created', null, '50'],
  ])
  clock.now += 20 * dayMs
  expect(history(7).days[0], 'starts from earlier values').toEqual({ day: '2026-12-08', limit: null, spent: '30' })

  expect(edit('Another name', usdc('100')).ok).toBe(true)
  for (let i = 0; i < 30; i++) expect(topUp(context, group, usdc('1'), null).ok).toBe(true)
  const pages = [history(7)]
  while (pages.at(-1)!.next) pages.push(history(7, pages.at(-1)!.next))
  expect(pages.map(({ changes }) => changes.length)).toEqual([20, 14]) // 34 changes, without the edit of the name
  expect(pages.flatMap(({ changes }) => changes.map(({ limit }) => limit)).slice(0, 31)).toEqual(
    Array.from({ length: 31 }, (_, i) => String(130 - i)),
  )
  expect(budgetHistory(context, 'gone', { days: 7 })).toMatchObject({ ok: false, code: 'not_found' })
  treasury.close()
})

test('the history of a budget reads only the events of one group, by index @history-4', () => {
  const { store, close } = createMemoryTreasury(1n, 1n)
  const plan = (query: string, ...values: (string | number)[]) =>
    store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...values).map(({ detail }) => detail)
  const events = plan(
    `SELECT * FROM audit WHERE ref = ? AND event IN ('group.created', 'group.changed', 'group.topped_up') AND (at, seq) < (?, ?) ORDER BY at DESC, seq DESC LIMIT 21`,
    'g',
    1,
    1,
  )
  expect(events).toEqual([
    expect.stringMatching(/^SEARCH audit USING INDEX audit_budget \(ref=\? AND (at<\?|\(at,seq\)<)/),
  ])
  close()
})

test('usage counts what was spent in the UTC month, and a budget lasts as in the last 30 days, with purchases @history-5', () => {
  const treasury = createMemoryTreasury(1n, 1n)
  const { clock, store, context } = treasury
  const spend = spenderIn(treasury)
  const month = Date.UTC(2026, 10, 1)
  store.insert('policy_group', groupRow({ id: 'g', spend_limit: 1_000_000_000 }))
  spend({ at: clock.now - 31 * dayMs, usdc: 100, group: 'g' })
  spend({ at: Date.UTC(2026, 9, 21), usdc: 4, group: 'g', kind: 'x402' })
  spend({ at: month - 1, usdc: 6, group: 'g' })
  spend({ at: month, usdc: 2, group: 'g', kind: 'payout' })
  spend({ at: clock.now, usdc: 3 })
  const { globalBudget, sessionKeys, wallets } = usageOf(context)
  expect(globalBudget.currentSpent).toBe('5')
  expect(wallets[0]!.sessionKeyBudget).toMatchObject({ currentSpent: '5', limit: '0.000001', remaining: '0' })
  expect(globalBudget).toMatchObject({ limit: '0.000001', remaining: '0', percentUsed: 999 })
  expect(globalBudget.previous).toMatchObject({ period: '2026-10', spent: '110' })
  const ofKey = { limit: '0.000001', used: '0', remaining: '0.000001', percentUsed: 0 }
  expect(wallets[0]!.sessionKey, 'the key was rotated after that was spent').toMatchObject(ofKey)
  expect(sessionKeys).toEqual(wallets[0]!.sessionKey)
  // 888 USDC are left, of which 12 were used in 30 days and a half, since midnight.
  const { budget } = wallets[0]!.policyGroups[0]!
  expect([budget.remaining, budget.lastsUntil]).toEqual(['888', new Date(clock.now + 74 * 30.5 * dayMs).toISOString()])
  treasury.close()
})
