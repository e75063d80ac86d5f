import { dayMs } from '../time.ts'

/** How often a run may be made again by itself. Each waits for its own decision. */
export const repeats = ['week', 'month'] as const
export type Repeat = (typeof repeats)[number]

/** The time of the next one (ms): a week later, or in the next month the day and hour (UTC) of the first, or its last day. */
export function nextRepeat(at: number, every: Repeat, firstAt: number): number {
  if (every === 'week') return at + 7 * dayMs
  const [first, present] = [new Date(firstAt), new Date(at)]
  const [year, month] = [present.getUTCFullYear(), present.getUTCMonth() + 1]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const next = new Date(first)
  next.setUTCFullYear(year, month, Math.min(first.getUTCDate(), lastDay))
  return next.getTime()
}
