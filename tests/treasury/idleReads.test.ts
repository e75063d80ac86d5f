/** Which calls idle wallets cost: the Treasury's real alarms on a clock that only the test moves, and a node that counts. */
import { afterEach, describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import type { Address } from '../../worker/chain/types.ts'
import { Alarms } from '../../worker/durable/alarms.ts'
import { runAlarm } from '../../worker/treasury/alarmHandlers.ts'
import type { AlarmKind } from '../../worker/treasury/core/context.ts'
import { Outbox } from '../../worker/treasury/outbox/delivery/flush.ts'
import { currentBalance, overview } from '../../worker/treasury/reports/overview.ts'
import { idleOf, markActive, recordLogsRead } from '../../worker/treasury/wallets/idleReads.ts'
import { getSnapshot } from '../../worker/treasury/wallets/snapshots.ts'
import { addressOf, usdc } from '../support/build.ts'
import { computeUnits } from '../support/computeUnits.ts'
import { type LedgerNode, startLedgerNode } from '../support/ledgerNode.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'

const wallet: Address = `0x${'a'.repeat(40)}`
const sessionKey: Address = `0x${'c'.repeat(40)}`
const thief: Address = `0x${'e'.repeat(40)}`
const funds = usdc('100')
/** Of a wallet in one day, without Watch: 20 fewer than when Watch was built, because the newest block names the one before it. */
const unitsAlone = 910
let running: LedgerNode | undefined

afterEach(async () => {
  await running?.stop()
  running = undefined
})

/** A Treasury with one wallet that was just used, whose session is live unless `session` says otherwise. */
async function createIdle({ kind = 'smart', money = funds as bigint, isLive = true } = {}) {
  const memory = createMemoryTreasury(money as typeof funds, funds)
  const { context, store, storage, clock } = memory
  const { contractSets, usdc: token } = context.chains[8453]
  const session = { spent: 0n, epoch: 1 }
  const node = await startLedgerNode({
    usdc: token,
    now: () => clock.now,
    opening: { [wallet]: money },
    state: () => ({
      ...{ sessionKey, validUntil: 4_000_000_000, rotationDisabled: false, sessionRevoked: false },
      ...{ epoch: session.epoch, remaining: funds - session.spent, top: 0n, seen: 0n, ownerNonce: 0n },
      purchaseAllowance: 0,
    }),
  })
  running = node
  context.chains[8453] = new RpcChain(8453, contractSets, [node.url])
  context.env.CONFIRM_DEPTH = '2'
  store.run('UPDATE wallet SET scanned_block = 1000, final_block = 1000, kind = ?', kind)
  if (!isLive) store.run('UPDATE session SET valid_until = 1')
  const outbox = new Outbox(context)
  const object = { ...storage, setAlarm: async () => {}, deleteAlarm: async () => {}, getAlarm: async () => 1 }
  const ran: AlarmKind[] = []
  const alarms = new Alarms<AlarmKind>(object as unknown as DurableObjectStorage, {
    now: () => clock.now,
    run: async (kind) => {
      // Deposits are rows of a list, which no History keeps here.
      if (kind === 'history') return null
      ran.push(kind)
      return runAlarm(context, outbox, kind as Exclude<AlarmKind, 'schema'>)
    },
    onError: (_, error) => {
      throw error
    },
    retryMs: 20_000,
    maxRunsInARow: 1,
  })
  context.schedule = (kind, at) => alarms.schedule(kind, at)
  markActive(context, 'wal')
  /** Lets the alarms run for so long. Returns the minutes at which the chain was read, and the number of calls. */
  const pass = async (ms: number) => {
    const [from, until] = [clock.now, clock.now + ms]
    const before = { ...node.calls }
    const readAt: number[] = []
    for (let at = alarms.nextAt(); at !== null && at <= until; at = alarms.nextAt()) {
      clock.now = Math.max(clock.now, at)
      // A Treasury that has nothing to do for minutes is evicted.
      context.memory.clear()
      const calls = total(node.calls)
      await alarms.handleAlarm()
      if (total(node.calls) > calls) readAt.push(Math.round((clock.now - from) / minuteMs))
    }
    clock.now = until
    const calls = Object.fromEntries(
      Object.entries(node.calls).map(([method, n]) => [method, n - (before[method] ?? 0)] as const),
    )
    return { readAt, calls, total: total(calls) }
  }
  return { ...memory, node, session, ran, pass }
}

const total = (calls: Record<string, number>) => Object.values(calls).reduce((sum, n) => sum + n, 0)

describe('calls of 1,000 idle wallets in one day', () => {
  test.each([
    ['smart', 'the day after they were used'],
    ['smart', 'any later day'],
    ['imported', 'the day after they were used'],
  ])('%s wallets with a live session and money, %s: at most 80,000 @idle-1', async (kind, day) => {
    const { pass } = await createIdle({ kind })
    if (day === 'any later day') await pass(3 * dayMs)
    const { total, calls } = await pass(dayMs)
    expect(total * 1_000, JSON.stringify(calls)).toBeLessThanOrEqual(80_000)
    expect(calls.eth_getLogs).toBeLessThanOrEqual(6)
    if (kind === 'smart' && day === 'any later day') expect(computeUnits(calls)).toBe(unitsAlone)
  })

  test.each([
    ['without a live session', { isLive: false }],
    ['without money', { money: 0n }],
  ])('wallets %s, once their reads have become rare: at most 15,000 @idle-2', async (_, options) => {
    const { pass } = await createIdle(options)
    await pass(3 * dayMs)
    const { total, calls } = await pass(dayMs)
    expect(total * 1_000, JSON.stringify(calls)).toBeLessThanOrEqual(15_000)
    expect(calls.eth_getLogs).toBe(3)
  })
})

describe('how often an idle wallet is read @idle-3', () => {
  test('at first after ten minutes, then more and more rarely: hourly while a live session has money, else daily', async () => {
    expect((await (await createIdle()).pass(7 * hourMs)).readAt).toEqual([10, 20, 30, 50, 90, 150, 210, 270, 330, 390])
    await running!.stop()
    const dormant = await createIdle({ isLive: false })
    expect((await dormant.pass(4 * dayMs)).readAt).toEqual([10, 20, 30, 50, 90, 170, 330, 650, 1290, 2570, 4010, 5450])
  })

  test('a view, a deposit and a change of the session start over', async () => {
    const { pass, context, store, node, session } = await createIdle()
    await pass(dayMs)
    await getSnapshot(context, store.wallet('wal')!)
    expect((await pass(45 * minuteMs)).readAt).toEqual([10, 20, 40])
    await pass(dayMs)
    node.add([{ block: node.head() - 1, from: thief, to: wallet, value: usdc('5') }])
    expect((await pass(2 * hourMs)).readAt.length).toBeGreaterThan(2)
    expect(store.wallet('wal')).toMatchObject({ deposits: Number(funds + usdc('5')) })
    await pass(dayMs)
    session.epoch = 2
    expect((await pass(2 * hourMs)).readAt.length).toBeGreaterThan(2)
    expect(store.session('wal'), 'the key of the new epoch is not ours').toBeNull()
  })

  test('a payment with a stolen key is seen within an hour, and one that cancels out within a day', async () => {
    const { pass, store, node, session } = await createIdle()
    await pass(2 * dayMs)
    node.add([{ block: node.head(), from: wallet, to: thief, value: usdc('3') }])
    session.spent += usdc('3')
    await pass(hourMs)
    expect(store.wallet('wal')).toMatchObject({ withdrawn: Number(usdc('3')) })
    await pass(dayMs)
    const block = node.head()
    node.add([
      { block, from: wallet, to: thief, value: usdc('2') },
      { block, from: thief, to: wallet, value: usdc('2') },
    ])
    await pass(dayMs)
    expect(store.wallet('wal')).toMatchObject({ withdrawn: Number(usdc('5')) })
  })

  test('a transfer in a block that is not deep enough yet is booked by the next reading, ten minutes later', async () => {
    const { pass, store, node, clock, context } = await createIdle()
    await pass(2 * dayMs)
    const waitMs = idleOf(context, 'wal').next_read_at - clock.now
    node.add([{ block: node.head() + waitMs / 2_000, from: thief, to: wallet, value: usdc('5') }])
    const deposits = () => store.wallet('wal')!.deposits - Number(funds)
    await pass(waitMs)
    expect(deposits()).toBe(0)
    await pass(10 * minuteMs)
    expect(deposits()).toBe(Number(usdc('5')))
  })

  test('from an hour before a payout expires, its wallet is read every ten minutes', async () => {
    const { pass, store, clock } = await createIdle({ isLive: false })
    const expires_at = clock.now + 10 * hourMs
    store.insert('payment', paymentRow({ id: 'pay_1', kind: 'payout', to_type: 'email', status: 'PENDING' }))
    store.insert('payout', payoutRow({ id: 'pay_1', address: addressOf(0x77), expires_at, funded: 1, announced: 1 }))
    const { readAt } = await pass(10 * hourMs)
    expect(readAt.filter((minute) => minute >= 540 && minute < 600)).toEqual([540, 550, 560, 570, 580, 590])
  })

  test('while the node does not respond, reading is retried, and nothing is counted as read', async () => {
    const { pass, node, context, clock } = await createIdle()
    await pass(dayMs)
    const readBefore = idleOf(context, 'wal').next_read_at
    node.limits.silentAbove = 0
    await expect(pass(hourMs)).rejects.toThrow()
    expect(idleOf(context, 'wal').next_read_at).toBe(readBefore)
    expect(context.now()).toBe(clock.now)
  })
})

test('finality of a booking is first checked when it is expected @idle-4', async () => {
  const { pass, store, node, ran, context, clock } = await createIdle()
  // A finalized block is read, which shows how old blocks are when they become final: 20 minutes here.
  await pass(dayMs)
  await pass(idleOf(context, 'wal').next_read_at - clock.now - minuteMs)
  node.add([{ block: node.head(), from: thief, to: wallet, value: usdc('5') }])
  await pass(minuteMs)
  expect(store.count('booking')).toBe(1)
  ran.length = 0
  await pass(19 * minuteMs)
  expect(ran).not.toContain('finality')
  await pass(10 * minuteMs)
  expect(store.count('booking')).toBe(0)
  expect(ran.filter((kind) => kind === 'finality').length).toBeLessThanOrEqual(2)
  await pass(dayMs)
  expect(ran.filter((kind) => kind === 'finality').length).toBeLessThanOrEqual(2)
})

test('the overview has the balance as it was last read, asks no node, and says when that was if it is older than 30 s @overview-19', async () => {
  const { pass, store, node, context, clock } = await createIdle()
  await pass(minuteMs * 10)
  const shown = () => {
    const { totalBalance, balanceAsOf } = overview(context)
    return { totalBalance, age: balanceAsOf && clock.now - Date.parse(balanceAsOf) }
  }
  const calls = () => total(node.calls)
  expect(shown(), 'logs were just read').toEqual({ totalBalance: '100', age: null })

  node.add([{ block: node.head(), from: thief, to: wallet, value: usdc('5') }])
  clock.now += 31_000
  const before = calls()
  expect(shown()).toEqual({ totalBalance: '100', age: 31_000 })
  expect(calls(), 'the overview asks nobody').toBe(before)
  expect(await currentBalance(context)).toEqual({ totalBalance: '105', balanceAsOf: null })
  clock.now += 1_000
  recordLogsRead(context, 'wal', { digest: '0x01', state: null, balance: 0n })
  expect(shown(), 'books that are behind do not hide it').toEqual({ totalBalance: '105', age: null })
  store.run("UPDATE idle_wallet SET logs_read_at = 0 WHERE wallet_id = 'wal'")
  clock.now += 29_000
  expect(shown(), 'and the overview has that from then on').toEqual({ totalBalance: '105', age: null })
  clock.now += 1_000
  expect(shown()).toEqual({ totalBalance: '105', age: 31_000 })

  node.limits.silentAbove = 0
  const asOf = new Date(clock.now - 31_000).toISOString()
  expect(await currentBalance(context), 'no node answers').toEqual({ totalBalance: '105', balanceAsOf: asOf })
  delete node.limits.silentAbove
  // What was read before the logs were is forgotten.
  await pass(20 * minuteMs)
  expect([shown().totalBalance, store.wallet('wal')!.deposits]).toEqual(['105', Number(funds + usdc('5'))])
})
