import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import { queryString } from '#web/lib/api.ts'
import {
  amountsText,
  completeRange,
  datePresets,
  dayOf,
  daysText,
  draftOf,
  draftProblems,
  rangeOf,
  rangeParams,
} from '#web/lists/range.ts'

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

describe('local days', () => {
  test.each([
    ['Pacific/Kiritimati', '2026-10-31T10:00:00.000Z', '2026-11-30T10:00:00.000Z'], // UTC+14
    ['Pacific/Pago_Pago', '2026-11-01T11:00:00.000Z', '2026-12-01T11:00:00.000Z'], // UTC-11
    ['UTC', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ])('a month in %s lasts from local midnight to local midnight', (timeZone, from, to) => {
    process.env.TZ = timeZone
    expect(rangeParams({ from: '2026-11-01', to: '2026-11-30' })).toMatchObject({ from, to })
  })

  test('a day on which the clocks change has 23 or 25 hours @lists-21', () => {
    process.env.TZ = 'America/New_York'
    const hours = (day: string) => {
      const { from, to } = rangeParams({ from: day, to: day })
      return (Date.parse(to!) - Date.parse(from!)) / hourMs
    }
    expect([hours('2026-03-08'), hours('2026-11-01'), hours('2026-11-20')]).toEqual([23, 25, 24])
    process.env.TZ = 'America/Santiago' // the day begins at 01:00
    const santiago = rangeParams({ from: '2026-09-06', to: '2026-09-06' })
    expect(santiago).toMatchObject({ from: '2026-09-06T04:00:00.000Z', to: '2026-09-07T03:00:00.000Z' })
  })

  test('dayOf accepts only days that exist @lists-22', () => {
    const known = ['2026-02-28', '2028-02-29']
    expect(known.map(dayOf)).toEqual(known)
    for (const wrong of [
      '2026-02-29',
      '2026-13-01',
      '2026-00-10',
      '26-01-01',
      'today',
      '',
      null,
      5,
      '2026-11-20T00:00',
    ])
      expect(dayOf(wrong), String(wrong)).toBeUndefined()
  })
})

describe('a range from an untrusted URL', () => {
  test('drops impossible values and keeps the rest @lists-23', () => {
    expect(rangeOf({ from: '2026-11-20', to: '2026-11-01', min: '5', max: '10' })).toEqual({ min: '5', max: '10' })
    expect(rangeOf({ from: '2026-11-01', to: 'never', min: '11', max: '2' })).toEqual({ from: '2026-11-01' })
    expect(rangeOf({ min: '-1', max: '1e3' })).toEqual({})
    expect(rangeOf({ min: 3, max: '1.0000001' })).toEqual({ min: '3' })
  })

  test('never throws, and leaves a valid range unchanged @lists-24', () => {
    fc.assert(
      fc.property(
        fc.record({ from: fc.anything(), to: fc.anything(), min: fc.anything(), max: fc.anything() }),
        (search) => {
          const range = rangeOf(search)
          queryString(rangeParams(range))
          expect(rangeOf(range)).toEqual(range)
        },
      ),
    )
  })
})

describe('a range as typed', () => {
  test('half-typed amounts are completed and compared as numbers @lists-26', () => {
    expect(completeRange({ from: '2026-11-01', min: '25.', max: '.5' })).toEqual({
      from: '2026-11-01',
      min: '25',
      max: '0.5',
    })
    expect(completeRange({ min: ' ', status: ['failed'] } as { min: string })).toEqual({ status: ['failed'] })
    const ofDraft = { from: undefined, to: undefined, min: '25.', max: '.5' }
    expect(draftProblems(ofDraft)).toEqual({ orderProblem: 'Maximum must be at least the minimum' })
  })

  test('an amount that may mean two is refused, also in a filter, and one from the URL is not @lists-60', () => {
    expect(draftProblems({ min: '1,500', max: '.' })).toEqual({
      minProblem: '“1,500” could mean 1500 or 1.5. Enter one of these.',
      maxProblem: 'Enter digits with at most 2 decimals, for example 1234.50',
    })
    const shared = rangeOf({ min: '1.125', max: '2000' })
    expect(shared).toEqual({ min: '1.125', max: '2000' })
    expect(completeRange(draftOf(shared))).toEqual(shared)
  })

  test.each([
    ['2026-11-22T23:30:00', '2026-11-16', '2026-10-24', '2026-11-01', '2026-11-22', '2026-10-01', '2026-10-31'],
    ['2028-03-01T00:10:00', '2028-02-24', '2028-02-01', '2028-03-01', '2028-03-01', '2028-02-01', '2028-02-29'],
    ['2027-01-03T12:00:00', '2026-12-28', '2026-12-05', '2027-01-01', '2027-01-03', '2026-12-01', '2026-12-31'],
  ])('presets at %s are local days, today included @lists-27', (now, week, days30, month, today, lastFrom, lastTo) => {
    for (const timeZone of ['UTC', 'Pacific/Kiritimati', 'America/New_York']) {
      process.env.TZ = timeZone
      expect(datePresets(new Date(now))).toEqual([
        { label: 'Last 7 days', from: week, to: today },
        { label: 'Last 30 days', from: days30, to: today },
        { label: 'This month', from: month, to: today },
        { label: 'Last month', from: lastFrom, to: lastTo },
      ])
    }
  })
})

test('ranges are described in words', () => {
  expect(daysText({ from: '2026-11-01', to: '2026-11-20' })).toBe('Nov 1, 2026 to Nov 20, 2026')
  expect(daysText({ from: '2026-11-01', to: '2026-11-01' })).toBe('Nov 1, 2026')
  expect(daysText({ to: '2026-11-01' })).toBe('Until Nov 1, 2026')
  expect(daysText({})).toBeNull()
  expect(amountsText({ min: '5', max: '1000' })).toBe('$5.00 to $1,000.00')
  expect(amountsText({ max: '0.5' })).toBe('At most $0.50')
})
