import { runInDurableObject } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { checkAlerts } from '../../worker/alerts/checkAlerts.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { recordChannel } from '../../worker/db/messages.ts'
import { recordTrouble } from '../../worker/db/troubles.ts'
import { markBusy } from '../../worker/db/watchdog.ts'
import type { Env } from '../../worker/env.ts'
import { type Metric, metricsFrom } from '../../worker/observability/metrics.ts'
import { kill } from '../support/kill.ts'
import { accepted, createPayer, fresh, prepare } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

type Point = { indexes: string[]; blobs: string[]; doubles: number[] }
/** Collects what Analytics Engine would store. */
function dataset() {
  const points: Point[] = []
  return { points, writeDataPoint: (point: unknown) => void points.push(point as Point) }
}

test('a confirmed payment records its times to signature, broadcast and confirmation, and nothing personal @metrics-1', async () => {
  await prepare()
  const payer = await createPayer()
  const { points, ...sink } = dataset()
  await inTreasury(payer, ({ context }) => {
    context.metrics = metricsFrom(sink)
  })
  const to = fresh('recipient')
  const paid = await accepted(payer, { to: { type: 'address', address: to } })
  await payer.final(paid.id)

  expect(points).toHaveLength(1)
  const { indexes, blobs, doubles } = points[0]!
  expect({ indexes, blobs }).toEqual({ indexes: ['payment'], blobs: ['payment', '8453:send'] })
  const [signed, broadcast, confirmed] = doubles as [number, number, number]
  expect(signed).toBeGreaterThanOrEqual(0)
  expect(broadcast).toBeGreaterThanOrEqual(signed)
  expect(confirmed).toBeGreaterThanOrEqual(broadcast)
  expect(confirmed).toBeLessThan(60_000)
  expect(JSON.stringify(points)).not.toContain(to.slice(2))
})

test('a metric that cannot be written is logged and does not throw @metrics-2', () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const full = () => {
    throw new Error('too many data points')
  }
  metricsFrom({ writeDataPoint: full }).record({ name: 'payment', subject: '8453:send', values: [1, 2, 3] })
  expect(JSON.parse(warned.mock.calls[0]![0])).toMatchObject({ event: 'metric_not_written', metric: 'payment' })
  warned.mockRestore()
  metricsFrom(undefined).record({ name: 'payment', subject: '', values: [] } satisfies Metric)
})

test('the cron records runway, queues, nodes, halted wallets, overdue accounts, unsent messages and sizes each minute @metrics-3', async () => {
  await prepare()
  const db = primaryDb(env.DB)
  const now = Date.now()
  for (const table of ['busy_treasury', 'object_trouble']) await env.DB.prepare(`DELETE FROM ${table}`).run()
  await recordChannel(db, 'sms', false, now - 90_000)
  await markBusy(db, 'usr_stuck', now - 200_000)
  const halt = { kind: 'wallet_halted', subject: 'wal_1', userId: 'usr_1', since: now } as const
  await recordTrouble(db, { ...halt, edition: 2, detail: 'books differ' })
  await recordTrouble(db, { ...halt, edition: 1, detail: null }) // late
  const healths = async () =>
    new Map(
      await Promise.all(
        [8453, 84532].map(async (id) => [id, await env.RELAYER.getByName(`${id}:0`).health()] as const),
      ),
    )
  const before = await healths()
  const { points, ...METRICS } = dataset()
  await checkAlerts({ ...env, METRICS } as unknown as Env, db, now)
  const after = await healths()

  const values = new Map(points.map(({ blobs, doubles }) => [blobs.join(' '), doubles]))
  expect(points.every(({ indexes, blobs }) => indexes[0] === blobs[0])).toBe(true)
  for (const chainId of [8453, 84532]) {
    expect(values.get(`network ${chainId}`)).toHaveLength(1)
    expect(values.get(`relayer_balance ${chainId}:0`)![0]).toBeGreaterThan(1)
    // A payment of an earlier test may be confirmed meanwhile.
    const oneOf = (of: 'inFlight' | 'databaseBytes') =>
      expect.toBeOneOf([before, after].map((at) => at.get(chainId)![of]))
    const some = expect.any(Number)
    const expected = [some, some, oneOf('inFlight'), some, oneOf('databaseBytes')]
    expect(values.get(`relayer ${chainId}:0`)).toEqual(expected)
  }
  expect(values.get('unsent_messages sms')).toEqual([90])
  expect(values.get('unsent_messages email')).toHaveLength(1)
  expect(values.get('deployment ')).toEqual([1, 1, expect.any(Number), expect.any(Number)])
  expect(values.get('deployment ')![2]).toBeGreaterThan(0)

  // After more than ten minutes in which the account spent, its runway is known.
  await kill(env.RELAYER.getByName('8453:0')) // which knows balances of earlier tests
  await runInDurableObject(env.RELAYER.getByName('8453:0'), async (relayer) => {
    const { clock } = relayer
    const { balance } = await relayer.account()
    vi.spyOn(relayer.chains[8453], 'nativeBalance').mockResolvedValueOnce(balance / 2n)
    relayer.clock = { now: () => now + 11 * minuteMs }
    expect((await relayer.account()).runwayHours).toBeCloseTo(11 / 60, 1)
    relayer.clock = clock
  })
})
