import { dayMs } from './time.ts'

export const periods = ['day', 'week', 'month'] as const
export type Period = (typeof periods)[number]

/** The UTC window [startAt, endAt) that contains `now` (ms). Weeks begin on Monday, as in ISO 8601. */
export function periodAt(period: Period, now: number): { startAt: number; endAt: number } {
  const day = Math.floor(now / dayMs)
  switch (period) {
    case 'day':
      return { startAt: day * dayMs, endAt: (day + 1) * dayMs }
    case 'week': {
      // 1 January 1970 was a Thursday.
      const monday = day - ((((day + 3) % 7) + 7) % 7)
      return { startAt: monday * dayMs, endAt: (monday + 7) * dayMs }
    }
    case 'month': {
      const date = new Date(now)
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
      return { startAt: Date.UTC(year, month, 1), endAt: Date.UTC(year, month + 1, 1) }
    }
  }
}
