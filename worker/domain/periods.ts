import { monthOf } from './statistics.ts'
import { dayMs } from './time.ts'
import type { UtcDays } from './utcDays.ts'

/** Weeks, which begin on Monday, and months, in UTC: what answers compare with the one before. */

export const periods = ['week', 'month'] as const
export type Period = (typeof periods)[number]

/** The most recipients of a period that one reply names. */
export const maxPaidTo = 100

/** `number` counts weeks or months on; it is the same as that of periodNumber, in SQL. */
export type PeriodAt = { number: number; days: UtcDays; before: UtcDays }

/** The period of `now` (ms), and the one before. */
export function periodAt(period: Period, now: number): PeriodAt {
  if (period === 'week') {
    const number = Math.floor((now / dayMs + mondayShift) / 7)
    const from = (number * 7 - mondayShift) * dayMs
    return { number, days: { from, to: from + 7 * dayMs }, before: { from: from - 7 * dayMs, to: from } }
  }
  const { startsAt, endsAt } = monthOf(now)
  const date = new Date(startsAt)
  return {
    number: date.getUTCFullYear() * 12 + date.getUTCMonth(),
    days: { from: startsAt, to: endsAt },
    before: { from: monthOf(startsAt - 1).startsAt, to: startsAt },
  }
}

/** Day 0, January 1, 1970, was a Thursday. */
const mondayShift = 3

/** The number of the period of an instant (ms), in SQL. */
export const periodNumber = (period: Period, at: string): string =>
  period === 'week'
    ? `(${at} / ${dayMs} + ${mondayShift}) / 7`
    : `(strftime('%Y', ${at} / 1000, 'unixepoch') * 12 + strftime('%m', ${at} / 1000, 'unixepoch') - 1)`
