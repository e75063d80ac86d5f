/**
 * `npm run test:long watch-day`: one day of an injected clock with 1,000 real Treasuries in memory, their idle wallets, the Watch that
 * reads them, and a node that counts. Each hour another wallet gets a deposit or loses money to a stolen session key. Once with a node
 * that is at its head, once with one that is up to 20 blocks behind. Then an hour of a shard that is full. WALLETS and SEED change it.
 * Test id: @watch-18
 */
import assert from 'node:assert/strict'
import { hourMs, minuteMs } from '#domain/time.ts'
import { maxWatched, periodMs } from '#domain/watch.ts'
import { usdc } from '../support/build.ts'
import { createIdleWallets } from '../support/idleWallets.ts'
import { randomFrom } from '../support/random.ts'

const wallets = Number(process.env.WALLETS ?? 1_000)
const random = randomFrom(Number(process.env.SEED ?? 1))
const hours = 24
/** What a wallet takes a day that reads itself hourly: tests/treasury/idleReads.test.ts. */
const alone = { units: 930, rows: 216 }
// Sweeps that fail are logged.
console.warn = () => undefined

async function spendDay(blocksBehind: number) {
  let isBehind = false
  const behind = () => (isBehind ? random.int(0, blocksBehind) : 0)
  const { pass, woken, clock, walletOf, deposit, steal, stop } = await createIdleWallets({ accounts: wallets, behind })
  await pass(hourMs)
  isBehind = true
  const used = { units: 0, rows: 0 }
  const count = async (passed: ReturnType<typeof pass>) => {
    const { units, treasuryRows, watchRows } = await passed
    used.units += units.ofTreasuries + units.ofSweeps
    used.rows += treasuryRows + watchRows
  }
  const expected = new Map<number, [deposits: bigint, withdrawn: bigint]>()
  const noticedMs: number[] = []
  for (let hour = 0; hour < hours; hour++) {
    const i = hour * Math.floor(wallets / hours)
    const minute = random.int(1, 30)
    await count(pass(minute * minuteMs))
    const changedAt = clock.now
    const [isTheft, amount] = [random.chance(30), usdc(String(random.int(1, 4)))]
    if (isTheft) steal(i, amount)
    else deposit(i, amount)
    expected.set(i, isTheft ? [usdc('100'), amount] : [usdc('100') + amount, 0n])
    await count(pass(hourMs - minute * minuteMs))
    const noticed = woken.find(({ userId, at }) => userId === `usr_${i}` && at > changedAt)
    if (noticed) noticedMs.push(noticed.at - changedAt)
  }
  isBehind = false
  await pass(2 * hourMs)
  await stop()

  for (let i = 0; i < wallets; i++) {
    const { deposits, withdrawn } = walletOf(i)
    assert.deepEqual([BigInt(deposits), BigInt(withdrawn)], expected.get(i) ?? [usdc('100'), 0n], `wallet ${i}`)
  }
  for (const [userId, times] of Map.groupBy(woken, (one) => one.userId)) {
    assert.ok(expected.has(Number(userId.slice(4))), `${userId} was woken for nothing`)
    for (const [k, { at }] of times.slice(1).entries())
      assert.ok(at - times[k]!.at >= hourMs, `${userId} was woken twice in an hour`)
  }
  const [units, rows] = [used.units / wallets, used.rows / wallets]
  console.log(
    `${blocksBehind} blocks behind: ${units.toFixed(0)} compute units and ${rows.toFixed(1)} rows a wallet and day`,
  )
  return { units, rows, noticedMs }
}

const { units, rows, noticedMs } = await spendDay(0)
assert.equal(noticedMs.length, hours)
assert.ok(Math.max(...noticedMs) <= 2 * periodMs(wallets), `noticed after ${Math.max(...noticedMs)} ms`)
assert.ok(units <= alone.units / 2, 'compute units')
assert.ok(rows <= alone.rows / 10, 'rows')
await spendDay(20)

const full = await createIdleWallets({ accounts: 1, others: maxWatched - 1 })
await full.pass(hourMs)
full.deposit(0, usdc('5'))
const hour = await full.pass(hourMs)
await full.stop()
assert.equal(full.woken.length, 1)
const { wallets: watched, problem } = full.watch.sweeper.health()
assert.deepEqual([watched, problem], [maxWatched, null])
const sweeps = (hour.units.ofSweeps * 24) / maxWatched
console.log(`a full shard: ${sweeps.toFixed(1)} compute units a wallet and day for sweeps`)
assert.ok(sweeps <= 20)
