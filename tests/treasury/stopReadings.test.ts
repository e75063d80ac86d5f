/** How often Treasuries read what operators have stopped. */
import { expect, test } from 'vitest'
import { freshStop } from '../../worker/treasury/core/stop.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'

test('while D1 does not respond, accounts read it less and less often, and not all at the same time @stop-14', async () => {
  const readings: number[] = []
  const treasuries = Array.from({ length: 100 }, (_, i) => {
    const { context, close } = createMemoryTreasury(1n, 1n)
    const db = {
      get: async () => {
        readings.push(now)
        throw new Error('D1 does not respond')
      },
    }
    const stop = { mode: 'none', readAt: -Infinity, failedAt: -Infinity, failures: 0, reading: null } as const
    close()
    return { ...context, db, userId: `usr_${i * 7919}`, now: () => now, stop: { ...stop } } as unknown as typeof context
  })
  let now = 1_000_000
  const start = now
  for (; now < start + 60_000; now += 100) await Promise.all(treasuries.map((context) => freshStop(context)))
  const between = (from: number, to: number) => readings.filter((at) => at >= start + from && at < start + to).length
  expect(between(0, 100)).toBe(100)
  expect(between(20_000, 60_000), 'in 40 s').toBeLessThanOrEqual(100 * 9)
  const most = Math.max(...Array.from({ length: 400 }, (_, i) => between(20_000 + i * 100, 20_100 + i * 100)))
  expect(most, 'in one tenth of a second').toBeLessThanOrEqual(15)
})
