import { type MicroUsdc, microUsdc } from './money.ts'

/** The figures that lists, widgets, usage and API share. Amounts are micro-USDC, times ms. */

/** Whole per cent of `limit`, cut; 100 when there is no room at all, at most 999. */
export function percentUsed(used: bigint, limit: bigint): number {
  if (limit <= 0n) return 100
  const percent = (used * 100n) / limit
  return percent > 999n ? 999 : Number(percent)
}

/** safe below 75 %, warning from 75, danger from 90. */
export const levelOf = (percent: number): 'safe' | 'warning' | 'danger' =>
  percent >= 90 ? 'danger' : percent >= 75 ? 'warning' : 'safe'

/** Confirmed of all that ended, per cent with one decimal, cut; null when nothing has ended yet. */
export function successRate(confirmed: number, failed: number): number | null {
  const ended = confirmed + failed
  return ended === 0 ? null : Math.floor((confirmed * 1000) / ended) / 10
}

/** Cut to whole micro-USDC; null without payments. */
export const averageOf = (sum: MicroUsdc, count: number): MicroUsdc | null =>
  count === 0 ? null : microUsdc(sum / BigInt(count))

/** The UTC month that `now` is in: 'YYYY-MM', its first moment and the next month's. */
export function monthOf(now: number): { month: string; startsAt: number; endsAt: number } {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    month: `${year}-${String(month + 1).padStart(2, '0')}`,
    startsAt: Date.UTC(year, month, 1),
    endsAt: Date.UTC(year, month + 1, 1),
  }
}

const dayMs = 86_400_000

/** The newest seven UTC days, oldest first, the last one being today: 'YYYY-MM-DD' and its first moment. */
export function lastSevenDays(now: number): { day: string; startsAt: number }[] {
  const today = Math.floor(now / dayMs) * dayMs
  return Array.from({ length: 7 }, (_, i) => {
    const startsAt = today - (6 - i) * dayMs
    return { day: new Date(startsAt).toISOString().slice(0, 10), startsAt }
  })
}

/** No forecast from less than an hour of history: one payment would look like a flood. */
const leastHistoryMs = 3_600_000 // 1 hour
/** Further ahead than this says nothing. */
const furthestMs = 3650 * dayMs // 10 years

/** When `remaining` is used up if spending goes on as in the last `windowMs`; null when nothing can be said. */
export function lastsUntil(spent: bigint, windowMs: number, remaining: bigint, now: number): number | null {
  if (spent <= 0n || windowMs < leastHistoryMs) return null
  const leftMs = (remaining * BigInt(Math.floor(windowMs))) / spent
  return leftMs > BigInt(furthestMs) ? null : now + Number(leftMs)
}
