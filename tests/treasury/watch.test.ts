/** Idle wallets that are read together: the Treasuries' real alarms, the sweeps of a Watch, and a node that counts. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { heedHints } from '../../worker/treasury/settlement/hints.ts'
import { idleOf } from '../../worker/treasury/wallets/idleReads.ts'
import { watch as tellWatch } from '../../worker/treasury/wallets/watching.ts'
import { units } from '../bench/scale/model.ts'
import { usdc } from '../support/build.ts'
import { createIdleWallets, type IdleWallets } from '../support/idleWallets.ts'
import { randomFrom } from '../support/random.ts'
import { paymentRow } from '../support/rows.ts'

/** What a wallet with money and a live session takes a day without Watch: tests/treasury/idleReads.test.ts. */
const alone = { units: 930, rows: 216 }
let running: IdleWallets | undefined
// Sweeps that fail are logged.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))
afterEach(async () => {
  vi.restoreAllMocks()
  await running?.stop()
  running = undefined
})

type Options = Parameters<typeof createIdleWallets>[0]
/** Their sweeps are five minutes apart. */
const few: Options = { accounts: 3 }
const twoPeriods = 10 * minuteMs

/** Wallets that Watch has confirmed. */
async function createWatched(options: Options): Promise<IdleWallets> {
  const wallets = await createIdleWallets(options)
  running = wallets
  await wallets.pass(hourMs)
  expect(wallets.watch.sweeper.health()).toMatchObject({
    ...{ wallets: options.accounts + (options.others ?? 0), busy: 0, lateSince: null, problem: null },
  })
  return wallets
}

const depositsOf = ({ walletOf }: IdleWallets, i: number) => walletOf(i).deposits - Number(usdc('100'))

describe('what one day costs @watch-8', () => {
  test.each([
    ['smart', 1_000, alone.units / 2],
    ['imported', 1_000, 511],
    ['smart', 5_000, 370],
  ] as const)(
    '%s wallets, %i of them: one reading, at most %d compute units and a tenth of the rows',
    async (kind, wallets, most) => {
      const accounts = 3
      const { pass, stop } = await createWatched({ accounts, kind })
      const { units: used, readAt, treasuryRows } = await pass(dayMs)
      expect(Object.values(readAt).map((times) => times.length)).toEqual([1, 1, 1])
      await stop()
      // An hour of sweeps is as any other.
      const together = await createWatched({ accounts: 1, others: wallets - 1, kind })
      const hour = await together.pass(hourMs)
      const perWallet = (n: number) => (n * 24) / wallets
      const own = used.ofTreasuries / accounts
      const sweeps = perWallet(hour.units.ofSweeps)
      expect(own + sweeps, `${own} and ${sweeps}`).toBeLessThanOrEqual(most)
      const rows = [treasuryRows / accounts, perWallet(hour.watchRows)] as const
      expect(rows[0] + rows[1], `${rows}`).toBeLessThanOrEqual(alone.rows / 10)
      // The figures of docs/scale.md.
      if (kind === 'smart') expect(own).toBe(units.idleDay)
    },
  )
})

describe('what is noticed @watch-9', () => {
  test('a deposit wakes only its Treasury, within two periods, and so does a payment by a stolen key', async () => {
    const wallets = await createWatched(few)
    const { pass, deposit, steal, clock, woken, walletOf } = wallets
    deposit(1, usdc('5'))
    const from = clock.now
    const { readAt } = await pass(twoPeriods)
    expect(woken.map(({ userId }) => userId)).toEqual(['usr_1'])
    expect(Object.keys(readAt)).toEqual(['usr_1'])
    expect(readAt.usr_1![0]! - from).toBeLessThanOrEqual(twoPeriods)
    expect([0, 1, 2].map((i) => depositsOf(wallets, i))).toEqual([0, Number(usdc('5')), 0])

    steal(2, usdc('3'))
    await pass(twoPeriods)
    expect(woken.map(({ userId }) => userId)).toEqual(['usr_1', 'usr_2'])
    expect(walletOf(2).withdrawn).toBe(Number(usdc('3')))
    // Their bookings become final.
    await pass(hourMs)
    expect((await pass(6 * hourMs)).readAt, 'and nobody reads again').toEqual({})
    expect(woken).toHaveLength(2)
  })

  test('what cancels out is found by the daily reading', async () => {
    const wallets = await createWatched(few)
    const { pass, walletOf, node } = wallets
    const block = node.head()
    const someone = `0x${'e'.repeat(40)}` as const
    const { address } = wallets.userOf(0)
    node.add([
      { block, from: address, to: someone, value: usdc('2') },
      { block, from: someone, to: address, value: usdc('2') },
    ])
    await pass(dayMs)
    expect(walletOf(0).withdrawn).toBe(Number(usdc('2')))
  })

  test('a hint that comes while its wallet is read is not lost', async () => {
    const { userOf, pass, clock } = await createWatched(few)
    const { context } = userOf(0)
    let told = 0
    const renew = async () => {
      if (told++ === 0) heedHints(context, [{ walletId: 'wal', digest: '0x1', block: 1e9 }])
      return 'confirmed'
    }
    Object.assign(context.env, { WATCH: { getByName: () => ({ renew }) } })
    const { readAt } = await pass(dayMs)
    const [first, second] = readAt.usr_0!
    expect(second! - first!).toBe(0)
    expect(idleOf(context, 'wal').next_read_at).toBeGreaterThan(clock.now)
  })

  test('dust to every wallet wakes each once, a bounded number at a time', async () => {
    const { pass, deposit, woken, watch, walletOf } = await createWatched({ accounts: 12 })
    watch.sweeper.wokenPerSweep = 5
    for (let i = 0; i < 12; i++) deposit(i, 1n)
    for (const seen of [5, 10, 12]) {
      await pass(5 * minuteMs)
      expect(new Set(woken.map(({ userId }) => userId)).size).toBe(seen)
    }
    await pass(2 * hourMs)
    expect(woken).toHaveLength(12)
    expect(walletOf(11).deposits).toBe(Number(usdc('100')) + 1)
  })
})

describe('nodes @watch-10', () => {
  test('while they are up to 20 blocks behind at random, no Treasury is woken for nothing', async () => {
    const random = randomFrom(7)
    let isBehind = false
    const wallets = await createWatched({ ...few, behind: () => (isBehind ? random.int(0, 20) : 0) })
    const { pass, woken, deposit } = wallets
    isBehind = true
    await pass(6 * hourMs)
    expect(woken).toEqual([])
    for (let i = 0; i < 5; i++) {
      const before = woken.length
      deposit(0, usdc('1'))
      await pass(2 * hourMs)
      expect(depositsOf(wallets, 0), `after ${i + 1}`).toBe(Number(usdc(`${i + 1}`)))
      const times = woken.slice(before).map(({ at }) => at)
      expect(times.length).toBeGreaterThanOrEqual(1)
      for (const [j, at] of times.slice(1).entries()) expect(at - times[j]!).toBeGreaterThanOrEqual(hourMs)
    }
    expect(woken.every(({ userId }) => userId === 'usr_0')).toBe(true)
  })

  test('a node that refuses large calls is asked for fewer wallets, and for as many as before a day later', async () => {
    const { pass, node, watch, woken, deposit, clock } = await createWatched({ accounts: 2, others: 998 })
    node.limits.wallets = 130
    await pass(minuteMs)
    expect(watch.sweeper.store.walletsPerCall(clock.now)).toBe(125)
    deposit(1, usdc('1'))
    await pass(2 * minuteMs)
    expect(woken.map(({ userId }) => userId)).toEqual(['usr_1'])
    expect(watch.sweeper.health()).toMatchObject({ problem: null, lateSince: null })
    expect(watch.sweeper.store.walletsPerCall(clock.now + dayMs)).toBe(500)
  })

  test('while they are silent, sweeps say nothing and are late after three periods; then they go on', async () => {
    const { pass, node, watch, deposit, woken } = await createWatched(few)
    const since = watch.sweeper.health().lastSweep!.endedAt
    node.limits.silentAbove = 0
    await pass(15 * minuteMs)
    expect(watch.sweeper.health()).toMatchObject({ lateSince: null, problem: 'no response' })
    await pass(5 * minuteMs)
    expect(watch.sweeper.health()).toMatchObject({ lateSince: since })
    delete node.limits.silentAbove
    deposit(0, usdc('1'))
    await pass(twoPeriods)
    expect(watch.sweeper.health()).toMatchObject({ lateSince: null, problem: null })
    expect(woken).toHaveLength(1)
  })

  test('a branch deeper than CONFIRM_DEPTH that loses a deposit wakes its Treasury, which books it no longer', async () => {
    const wallets = await createWatched(few)
    const { pass, node, deposit, woken } = wallets
    const block = node.head()
    deposit(0, usdc('5'))
    await pass(twoPeriods)
    expect(depositsOf(wallets, 0)).toBe(Number(usdc('5')))
    node.reorganize(block, 'other', () => false)
    await pass(twoPeriods)
    expect(depositsOf(wallets, 0)).toBe(0)
    expect(new Set(woken.map(({ userId }) => userId))).toEqual(new Set(['usr_0']))
  })
})

describe('without Watch @watch-11', () => {
  test('wallets that miss its confirmation read themselves hourly, nothing is lost, and it is late', async () => {
    const wallets = await createWatched(few)
    const { pass, watch, deposit, clock } = wallets
    watch.isDown = true
    const from = clock.now
    deposit(0, usdc('5'))
    const { readAt } = await pass(2 * dayMs)
    expect(watch.sweeper.health().lateSince).not.toBeNull()
    for (const times of Object.values(readAt)) {
      expect(times[0]! - from, 'the reading of the day').toBeLessThanOrEqual(dayMs)
      const waits = times.slice(1).map((at, i) => at - times[i]!)
      expect(Math.max(...waits)).toBeLessThanOrEqual(hourMs + 1)
    }
    expect(depositsOf(wallets, 0)).toBe(Number(usdc('5')))

    watch.isDown = false
    await pass(2 * hourMs)
    expect((await pass(20 * hourMs)).readAt, 'confirmed again').toEqual({})
  })

  test('one that has lost everything has all wallets again after a day, and one that was rolled back wakes for nothing', async () => {
    const wallets = await createWatched(few)
    const { pass, watch, createWatch, deposit, woken } = wallets
    const [row] = watch.sweeper.store.page({ user_id: 'usr_', wallet_id: '' }, 1)
    deposit(0, usdc('5'))
    await pass(twoPeriods)
    expect(woken).toHaveLength(1)
    const { digest, block, added_at, renewed_at } = row!
    const old = { digest, block, addedAt: added_at, renewedAt: renewed_at, wokenAt: 0 }
    watch.sweeper.store.save(row!, old)
    expect((await pass(twoPeriods)).readAt, 'the books are as new').toEqual({})
    expect(woken).toHaveLength(2)

    watch.sweeper = createWatch()
    await pass(dayMs + hourMs)
    expect(watch.sweeper.store.wallets()).toBe(3)
    expect((await pass(2 * hourMs)).readAt).toEqual({})
  })
})

test('a wallet that is busy is left out, and one that was deleted is forgotten @watch-12', async () => {
  const wallets = await createWatched(few)
  const { pass, userOf, deposit, woken, watch } = wallets
  const { store } = userOf(0)
  store.insert('payment', paymentRow({ id: 'pay_1', status: 'PROCESSING' }))
  deposit(0, usdc('1'))
  deposit(1, usdc('1'))
  userOf(1).store.run("UPDATE wallet SET status = 'deleted'")
  await pass(twoPeriods)
  expect(woken.map(({ userId }) => userId).sort()).toEqual(['usr_0', 'usr_1'])
  expect(watch.sweeper.health()).toMatchObject({ wallets: 2, busy: 1 })
  deposit(0, usdc('1'))
  await pass(twoPeriods)
  expect(woken).toHaveLength(2)
  store.run("UPDATE payment SET status = 'FAILED'")
  await pass(dayMs + hourMs)
  expect(watch.sweeper.health()).toMatchObject({ wallets: 2, busy: 0 })
  expect(depositsOf(wallets, 0)).toBe(Number(usdc('2')))
})

test('a wallet that is halted is read and watched as any other @watch-19', async () => {
  const wallets = await createWatched(few)
  const { pass, userOf, deposit, woken, walletOf } = wallets
  userOf(0).store.run("UPDATE wallet SET halt_kind = 'ended_payment', halt_detail = 'a transfer'")
  deposit(0, usdc('1'))
  await pass(twoPeriods)
  expect(woken.map(({ userId }) => userId)).toEqual(['usr_0'])
  expect([depositsOf(wallets, 0), walletOf(0).halt_kind]).toEqual([Number(usdc('1')), 'ended_payment'])
})

test('a shard that is full sends further wallets to the next, which their Treasuries remember @watch-13', async () => {
  const { watch, userOf } = await createWatched({ accounts: 2 })
  watch.sweeper.maxWatched = 2
  const one = { userId: 'usr_9', walletId: 'wal', kind: 'smart', address: `0x${'1'.repeat(40)}` } as const
  expect(watch.sweeper.renew({ ...one, digest: 'a', block: 1 })).toBe('full')
  expect(watch.sweeper.renew({ ...one, userId: 'usr_0', digest: 'a', block: 1 })).not.toBe('full')
  expect(watch.sweeper.health().isFull).toBe(true)

  const { context, store } = userOf(0)
  const asked: string[] = []
  const getByName = (name: string) => {
    asked.push(name)
    return { renew: async () => (name === '8453:0' ? 'full' : 'confirmed') }
  }
  Object.assign(context.env, { WATCH: { getByName } })
  for (let i = 0; i < 2; i++) expect(await tellWatch(context, store.wallet('wal')!)).toBe(true)
  expect(asked).toEqual(['8453:0', '8453:1', '8453:1'])
})
