/** Alarms that the platform delivers late or never. */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test, vi } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { Alarms } from '../../worker/durable/alarms.ts'
import { unwrap } from '../../worker/result.ts'
import { runScheduled } from '../../worker/scheduled.ts'
import { usdc } from '../support/build.ts'
import { createPayer, manualChain, prepare, until } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

beforeAll(prepare)

test('a request sets an alarm again that the platform has lost, but not before it is late @treasury-5', async () => {
  await runInDurableObject(env.WEBHOOK_SENDER.getByName('late'), async (_, { storage }) => {
    const start = Date.now()
    let passed = 0
    const now = () => start + passed
    const create = () => {
      const options = { now, run: async () => null, onError: () => {}, retryMs: 1000, maxRunsInARow: 1 }
      return Object.assign(new Alarms<'deliver' | 'prune'>(storage, options), { clock: { now } })
    }
    const alarms = create()
    alarms.schedule('deliver', start + 60_000)
    expect(await storage.getAlarm()).toBe(start + 60_000)
    await storage.deleteAlarm()
    passed = 64_000
    alarms.renewIfLate()
    expect(await storage.getAlarm(), 'it may still come').toBeNull()
    for (const request of [
      () => alarms.renewIfLate(),
      () => alarms.schedule('deliver', start + 120_000),
      () => alarms.schedule('prune', start + 999_000),
    ]) {
      passed += 6_000
      request()
      expect(await storage.getAlarm()).toBe(now())
      await storage.deleteAlarm()
      request()
      expect(await storage.getAlarm(), 'not with each request').toBeNull()
    }

    const afterRestart = create()
    passed += 6_000
    afterRestart.renewIfLate()
    expect(await storage.getAlarm()).toBe(now())
    passed += 29_000
    expect(await afterRestart.isLost()).toBe(false)
    passed += 1_000
    expect(await afterRestart.isLost(), 'set, but never delivered').toBe(true)
    await afterRestart.handleAlarm()
    expect(await afterRestart.isLost()).toBe(false)
    await storage.deleteAll()
  })
})

test('a Treasury renews a late alarm when it accepts a payment, and when somebody looks at it @treasury-6', async () => {
  const payer = await createPayer()
  await payer.ledger()
  await inTreasury(payer, async (treasury) => {
    const renewals = vi.spyOn(treasury.alarms, 'renewIfLate')
    const renewsIn = async <T>(work: () => Promise<T>): Promise<T> => {
      renewals.mockClear()
      const result = await work()
      expect(renewals).toHaveBeenCalled()
      return result
    }
    const { payment } = unwrap(await renewsIn(() => treasury.payAsAgent(payer.payment())))
    await renewsIn(() => treasury.payment(payer.payment().principal, payment.id))
    await renewsIn(() => treasury.asPerson('session', { object: null, method: 'transaction', input: [payment.id] }))
    await renewsIn(() => treasury.changesSince({ incarnation: null, seq: 0, audit: null }, []))
    renewals.mockRestore()
  })
})

test('the cron wakes a Treasury whose alarm was lost before it first ran, within three minutes @safety-25', async () => {
  const payer = await createPayer({ on: manualChain })
  await payer.ledger()
  const alarmAt = () => inTreasury(payer, (_, { storage }) => storage.getAlarm())
  const losses = Number(env.LOST_ALARMS || 5)
  let woken = 0
  for (let i = 0; i < losses; i++) {
    // The account is idle. From now on the platform sets no alarm.
    await inTreasury(payer, async ({ context }, { storage }) => {
      vi.spyOn(storage, 'setAlarm').mockResolvedValue()
      await storage.deleteAlarm()
      context.store.setMeta('busy_reported_at', 0)
    })
    await env.DB.prepare('DELETE FROM busy_treasury').run()
    unwrap(await payer.pay({ amount: usdc('0.01') }))
    const acceptedAt = Date.now()
    await until('the row in D1', async () =>
      env.DB.prepare('SELECT since FROM busy_treasury WHERE user_id = ?').bind(payer.userId).first(),
    )
    await inTreasury(payer, (_, { storage }) => vi.mocked(storage.setAlarm).mockRestore())
    expect(await alarmAt()).toBeNull()
    // The cron ran just before the payment was accepted.
    for (let minutes = 1; minutes <= 3; minutes++) await runScheduled(env, acceptedAt - 1 + minutes * minuteMs)
    const at = await until('an alarm', alarmAt)
    if (at - Date.now() < minuteMs) woken += 1
  }
  expect(woken).toBe(losses)
})
