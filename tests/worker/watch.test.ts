/** Idle wallets that are read together, with the real objects, contracts and node. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { checkAlerts } from '../../worker/alerts/checkAlerts.ts'
import type { Address } from '../../worker/chain/types.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { listAlerts, openTroubles } from '../../worker/db/troubles.ts'
import type { Env } from '../../worker/env.ts'
import { runScheduled } from '../../worker/scheduled.ts'
import { idleOf } from '../../worker/treasury/wallets/idleReads.ts'
import { watchName } from '../../worker/watch/api.ts'
import type { Watch } from '../../worker/watch/watch.ts'
import { user } from '../bench/scale/model.ts'
import { usdc } from '../support/build.ts'
import { manualChain as chain, createPayer, prepare, until } from '../support/payer.ts'
import { inTreasury, rowsOf, runNow } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

// A lost alarm and alerts are logged.
beforeEach(() => {
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
})
afterEach(() => void vi.restoreAllMocks())

await prepare()
const watch = () => env.WATCH.getByName(watchName(84532, 0))
const sweep = () => runDurableObjectAlarm(watch())
const payer = await createPayer({ on: chain })
const depositsOf = async () => (await rowsOf<{ deposits: number }>(payer, 'SELECT deposits FROM wallet'))[0]!.deposits
/** How long the Treasury waits until it reads its wallet by itself (ms). */
const waits = () => inTreasury(payer, ({ context }) => idleOf(context, payer.wallet.id).next_read_at - context.now())

test('a wallet is read by its Treasury daily once Watch confirms it, and a deposit wakes the Treasury @watch-14', async () => {
  await chain.mine(3)
  await runNow(payer, 'scan')
  expect(await watch().health(), 'the Treasury has told it').toMatchObject({ wallets: 1, lastSweep: null })
  expect(await waits(), 'unconfirmed').toBeLessThanOrEqual(hourMs)
  await chain.mine()
  expect(await sweep()).toBe(true)
  expect(await watch().health()).toMatchObject({ wallets: 1, busy: 0, problem: null, lastSweep: { woken: 0 } })
  await runNow(payer, 'scan')
  expect(await waits()).toBeGreaterThan(dayMs - minuteMs)

  const before = await depositsOf()
  await chain.mint(payer.wallet.address as Address, usdc('3'))
  await chain.mine(3)
  await sweep()
  expect(await watch().health()).toMatchObject({ problem: null, lastSweep: { woken: 1 } })
  await until('the deposit is booked', async () => (await depositsOf()) === before + Number(usdc('3')))
  await payer.booksBalance()
  await until('read', async () => (await waits()) > 0)
  await chain.mine(3)
  await sweep()
  expect(await watch().health(), 'its Treasury has told what it read').toMatchObject({ lastSweep: { woken: 0 } })
})

/** Rows that the Treasury writes, with its alarms, when it does what is due after so many days. */
const rowsAfter = (days: number) =>
  inTreasury(payer, async (treasury, { storage }) => {
    const { context } = treasury
    const real = { exec: storage.sql.exec, setAlarm: storage.setAlarm, now: context.now }
    const cursors: { rowsWritten: number }[] = []
    let alarms = 0
    storage.sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
      const cursor = real.exec.call(storage.sql, query, ...values)
      cursors.push(cursor)
      return cursor
    }) as typeof real.exec
    storage.setAlarm = (at, options) => {
      alarms += 1
      return real.setAlarm.call(storage, at, options)
    }
    context.now = () => real.now() + days * (dayMs + hourMs)
    context.memory.clear()
    await treasury.alarm()
    context.now = real.now
    storage.sql.exec = real.exec
    storage.setAlarm = real.setAlarm
    return cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, alarms)
  })

test('the reading of a day writes as many rows as docs/scale.md counts @watch-17', async () => {
  await chain.mine(4)
  // On the first day the deposit becomes final as well.
  await rowsAfter(1)
  await chain.mine(4)
  const rows = await rowsAfter(2)
  expect(Math.abs(rows - user.idleRows), `${rows}`).toBeLessThanOrEqual(2)
})

test('the cron sets a lost alarm again, and reports a Watch that is late @watch-15', async () => {
  const lose = () => runInDurableObject(watch(), (_: Watch, { storage }) => storage.deleteAlarm())
  const alarmAt = () => runInDurableObject(watch(), (_: Watch, { storage }) => storage.getAlarm())
  await lose()
  await runScheduled(env, Date.now())
  expect(await alarmAt()).not.toBeNull()
  const troubles = await openTroubles(primaryDb(env.DB), 0)
  expect(troubles).toContainEqual(expect.objectContaining({ kind: 'alarm_lost', subject: 'watch:84532:0' }))

  const db = primaryDb(env.DB)
  const late = async () => (await listAlerts(db)).filter(({ key }) => key === 'watch_late:84532:0').length
  await checkAlerts(env, db, Date.now())
  expect(await late()).toBe(0)
  await runInDurableObject(watch(), (instance: Watch) => {
    instance.clock = { now: () => Date.now() + hourMs }
  })
  await checkAlerts(env, db, Date.now())
  expect(await late()).toBe(1)
  await chain.mine()
  await sweep()
  expect(await watch().health()).toMatchObject({ lateSince: null })
})

test('its state is written as a metric each minute @watch-16', async () => {
  const points: { blobs: string[]; doubles: number[] }[] = []
  const METRICS = { writeDataPoint: (point: (typeof points)[number]) => void points.push(point) }
  await checkAlerts({ ...env, METRICS } as unknown as Env, primaryDb(env.DB), Date.now())
  const found = points.find(({ blobs }) => blobs.join(' ') === 'watch 84532:0')
  expect(found?.doubles).toHaveLength(5)
  expect(found?.doubles[0]).toBe(1)
})
