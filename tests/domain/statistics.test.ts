import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lastActivityText } from '#domain/lastActivity.ts'
import { microUsdc } from '#domain/money.ts'
import {
  averageOf,
  isSpent,
  lastDays,
  lastsUntil,
  levelOf,
  monthOf,
  percentUsed,
  successRate,
} from '#domain/statistics.ts'
import { dayMs, hourMs } from '#domain/time.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 15n })
const instant = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2040, 0, 1) })

test('percentUsed is rounded down: 100 only if nothing is left @statistics-1', () => {
  fc.assert(
    fc.property(amount, amount, (used, limit) => {
      const percent = percentUsed(used, limit)
      if (limit === 0n) expect(percent).toBe(100)
      else if (used < limit) expect(percent).toBeLessThan(100)
      else expect(percent).toBeGreaterThanOrEqual(100)
      expect(percent).toBeLessThanOrEqual(999)
      if (limit > 0n && percent < 999) expect((BigInt(percent) * limit) / 100n).toBeLessThanOrEqual(used)
    }),
  )
})

test('budget colors: safe below 75, warning from 75, danger from 90 @statistics-2', () => {
  expect([0, 74, 75, 89, 90, 100, 999].map(levelOf)).toEqual([
    'safe',
    'safe',
    'warning',
    'warning',
    'danger',
    'danger',
    'danger',
  ])
})

test('success rate: share of confirmed payments, one decimal, 100 only without failures @statistics-3', () => {
  expect(successRate(0, 0)).toBeNull()
  const count = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(count, count, (confirmed, failed) => {
      const rate = successRate(confirmed, failed)
      if (confirmed + failed === 0) return
      expect(rate).toBeGreaterThanOrEqual(0)
      expect(rate === 100).toBe(failed === 0)
      expect(Math.abs(rate! - (confirmed / (confirmed + failed)) * 100)).toBeLessThan(0.1001)
      expect(rate! * 10).toBeCloseTo(Math.round(rate! * 10), 6)
    }),
  )
})

test('the average is the sum divided by the count, rounded down', () => {
  expect(averageOf(microUsdc(0n), 0)).toBeNull()
  fc.assert(
    fc.property(amount, fc.integer({ min: 1, max: 100_000 }), (sum, count) => {
      const whole = averageOf(microUsdc(sum), count)! * BigInt(count)
      expect(whole).toBeLessThanOrEqual(sum)
      expect(sum - whole).toBeLessThan(BigInt(count))
    }),
  )
})

test('monthOf: every moment lies in its UTC month, and the next month starts where it ends @statistics-4', () => {
  fc.assert(
    fc.property(instant, (now) => {
      const { month, startsAt, endsAt } = monthOf(now)
      expect(startsAt).toBeLessThanOrEqual(now)
      expect(endsAt).toBeGreaterThan(now)
      expect(new Date(startsAt).toISOString()).toBe(`${month}-01T00:00:00.000Z`)
      expect(monthOf(endsAt).startsAt).toBe(endsAt)
      expect(monthOf(endsAt - 1).month).toBe(month)
    }),
  )
  expect(monthOf(Date.UTC(2026, 11, 31, 23, 59)).month).toBe('2026-12')
})

test('lastDays: consecutive days, ending today @statistics-5', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(7, 30, 90), (now, count) => {
      const days = lastDays(now, count)
      expect(days).toHaveLength(count)
      expect(days.at(-1)!.day).toBe(new Date(now).toISOString().slice(0, 10))
      for (const [i, { day, startsAt }] of days.entries()) {
        expect(new Date(startsAt).toISOString()).toBe(`${day}T00:00:00.000Z`)
        if (i > 0) expect(startsAt - days[i - 1]!.startsAt).toBe(dayMs)
      }
    }),
  )
})

test('the forecast is when spending at the same rate reaches the limit @statistics-6', () => {
  const now = Date.UTC(2026, 10, 20)
  expect(lastsUntil(0n, dayMs, 5n, now)).toBeNull()
  expect(lastsUntil(5n, 60_000, 5n, now), 'one minute is too short for a forecast').toBeNull()
  expect(lastsUntil(1n, dayMs, 10n ** 15n, now), 'no forecast reaches centuries ahead').toBeNull()
  expect(lastsUntil(10n, dayMs, 20n, now)).toBe(now + 2 * dayMs)
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fc.integer({ min: hourMs, max: 30 * dayMs }),
      amount,
      (spent, windowMs, remaining) => {
        const at = lastsUntil(spent, windowMs, remaining, now)
        if (at === null) return
        expect(at).toBeGreaterThanOrEqual(now)
        expect((BigInt(at - now) * spent) / BigInt(windowMs)).toBeLessThanOrEqual(remaining)
      },
    ),
  )
})

describe.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Niue', 'America/New_York'])('on a clock in %s', (zone) => {
  const before = process.env.TZ
  beforeAll(() => {
    process.env.TZ = zone
  })
  afterAll(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })

  test('last activity counts calendar days, across midnights, months and skipped hours @statistics-7', () => {
    const order = [
      /^Today$/,
      /^Yesterday$/,
      /^[2-6] days ago$/,
      /^1 week ago$/,
      /^[2-4] weeks ago$/,
      /^[A-Z][a-z]{2} \d+, \d{4}$/,
    ]
    const rank = (text: string) => order.findIndex((form) => form.test(text))
    const day = fc.integer({ min: 0, max: 400 })
    const moment = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    fc.assert(
      fc.property(day, day, moment, moment, (start, passed, [hour, minute], [hourThen, minuteThen]) => {
        const now = new Date(2026, 0, 1 + start, hour, minute).getTime()
        const then = new Date(2026, 0, 1 + start - passed, hourThen, minuteThen)
        const text = lastActivityText(then.toISOString(), now)
        const wanted = passed === 0 ? 0 : passed === 1 ? 1 : passed < 7 ? 2 : passed < 14 ? 3 : passed < 30 ? 4 : 5
        expect(rank(text), `${then} to ${new Date(now)}: ${text}`).toBe(wanted)
        if (wanted === 2) expect(text).toBe(`${passed} days ago`)
        if (wanted === 4) expect(text).toBe(`${Math.floor(passed / 7)} weeks ago`)
      }),
    )
    expect(lastActivityText(null, 0)).toBe('Never')
  })
})

test('isSpent counts confirmed payments, and each payout once: by its withdrawal, or in a list of payments by its own row @statistics-9', () => {
  const row = { category: 'address', status: 'CONFIRMED' }
  for (const isOfPayments of [true, false]) {
    expect(isSpent(row, isOfPayments)).toBe(true)
    expect(isSpent({ ...row, category: 'x402' }, isOfPayments)).toBe(true)
    expect(isSpent({ ...row, status: 'CANCELLED' }, isOfPayments)).toBe(false)
  }
  expect(isSpent({ ...row, category: 'escrow_withdraw' }, false)).toBe(true)
  expect(isSpent({ ...row, category: 'escrow' }, false), 'when it is funded').toBe(false)
  expect(isSpent({ ...row, category: 'escrow' }, true)).toBe(true)
  for (const category of ['escrow_reclaim', 'deposit', 'withdrawal'])
    expect(isSpent({ ...row, category }, false)).toBe(false)
})
