import { expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { type BalanceSample, runwayHours, withSample } from '../../worker/domain/runway.ts'

/** One sample per minute, starting at 0. */
const each = (...balances: bigint[]): readonly BalanceSample[] =>
  balances.reduce<readonly BalanceSample[]>(
    (samples, balance, i) => withSample(samples, { at: i * minuteMs, balance }),
    [],
  )

test('the runway follows the spending rate of the last hours', () => {
  const samples = each(...Array.from({ length: 61 }, (_, i) => 1_000n - BigInt(i)))
  expect(runwayHours(samples), '60 wei in an hour, 940 left').toBeCloseTo(940 / 60)
})

test('a top-up does not offset the spending before and after it', () => {
  const before = Array.from({ length: 6 }, (_, i) => 100n - BigInt(i) * 10n)
  const after = Array.from({ length: 6 }, (_, i) => 1_000n - BigInt(i) * 10n)
  expect(runwayHours(each(...before, ...after)), '100 wei in 11 minutes').toBeCloseTo((950 / 100) * (11 / 60))
})

test('the runway is unknown with less than ten minutes of samples or without spending', () => {
  expect(runwayHours([])).toBeNull()
  expect(runwayHours(each(...Array.from({ length: 10 }, (_, i) => 100n - BigInt(i))))).toBeNull()
  expect(runwayHours(each(...Array.from({ length: 30 }, () => 100n)))).toBeNull()
})

test('samples older than six hours are dropped, and a sample within half a minute of the last is ignored', () => {
  const samples = each(...Array.from({ length: 500 }, () => 1n))
  expect(samples.length).toBe(360)
  const last = samples.at(-1)!
  expect(withSample(samples, { at: last.at + 29_999, balance: 0n })).toBe(samples)
})
