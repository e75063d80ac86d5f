import { expect, test } from 'vitest'
import { type BalanceSample, runwayHours, withSample } from '../../worker/domain/runway.ts'

const minute = 60_000
/** A sample each minute from 0 on. */
const each = (...balances: bigint[]): readonly BalanceSample[] =>
  balances.reduce<readonly BalanceSample[]>(
    (samples, balance, i) => withSample(samples, { at: i * minute, balance }),
    [],
  )

test('the balance lasts as long as the pace of the last hours lets it', () => {
  const samples = each(...Array.from({ length: 61 }, (_, i) => 1_000n - BigInt(i)))
  expect(runwayHours(samples), '60 wei in an hour, 940 left').toBeCloseTo(940 / 60)
})

test('a top-up is no income: what was spent around it still counts', () => {
  const before = Array.from({ length: 6 }, (_, i) => 100n - BigInt(i) * 10n)
  const after = Array.from({ length: 6 }, (_, i) => 1_000n - BigInt(i) * 10n)
  expect(runwayHours(each(...before, ...after)), '100 wei in 11 minutes').toBeCloseTo((950 / 100) * (11 / 60))
})

test('nothing is said before ten minutes are known, or while nothing is spent', () => {
  expect(runwayHours([])).toBeNull()
  expect(runwayHours(each(...Array.from({ length: 10 }, (_, i) => 100n - BigInt(i))))).toBeNull()
  expect(runwayHours(each(...Array.from({ length: 30 }, () => 100n)))).toBeNull()
})

test('samples older than six hours are forgotten, and those within half a minute are one', () => {
  const samples = each(...Array.from({ length: 500 }, () => 1n))
  expect(samples.length).toBe(360)
  const last = samples.at(-1)!
  expect(withSample(samples, { at: last.at + 29_999, balance: 0n })).toBe(samples)
})
