/** How often isolates read what operators have stopped. */
import { expect, test } from 'vitest'
import type { Env } from '../../worker/env.ts'
import { StopReader } from '../../worker/stops/reader.ts'

const env = {} as Env

test('while the stop object does not respond, isolates read it less and less often, and not all at the same time @stop-14', async () => {
  const readings: number[] = []
  let now = 1_000_000
  const readers = Array.from({ length: 100 }, (_, i) => {
    const source = async () => {
      readings.push(now)
      throw new Error('the stop object does not respond')
    }
    return Object.assign(new StopReader(source, 0.6 + 0.004 * i), { clock: { now: () => now } })
  })
  const start = now
  for (; now < start + 60_000; now += 100)
    await Promise.all(readers.map((reader) => reader.isDue(Number.POSITIVE_INFINITY) && reader.read(env)))
  const between = (from: number, to: number) => readings.filter((at) => at >= start + from && at < start + to).length
  expect(between(0, 100)).toBe(100)
  expect(between(20_000, 60_000), 'in 40 s').toBeLessThanOrEqual(100 * 9)
  const most = Math.max(...Array.from({ length: 400 }, (_, i) => between(20_000 + i * 100, 20_100 + i * 100)))
  expect(most, 'in one tenth of a second').toBeLessThanOrEqual(15)
})

test('an answer older than one already seen counts as no answer, so that nothing is signed by it @stop-17', async () => {
  let now = 1_000_000
  const answer = { mode: 'sign', since: 1, frozen: {}, edition: 7 } as const
  let current: Parameters<typeof Object.assign>[0] = answer
  const reader = Object.assign(new StopReader(async () => current as typeof answer, 1), { clock: { now: () => now } })
  await reader.read(env)
  expect(reader.last).toMatchObject({ mode: 'sign', readAt: 1_000_000 })
  current = { mode: 'none', since: null, frozen: {}, edition: 6 }
  now += 6_000
  await reader.read(env)
  expect(reader.last).toMatchObject({ mode: 'sign', readAt: 1_000_000 })
  expect(reader.age(reader.last!.readAt), 'too old for signing').toBeGreaterThan(5_000)
  current = { mode: 'none', since: 2, frozen: {}, edition: 8 }
  await reader.read(env)
  expect(reader.last).toMatchObject({ mode: 'none', readAt: 1_006_000 })
})
