import { type MicroUsdc, microUsdc } from './money.ts'
import { dayMs, hourMs } from './time.ts'

/** Statistics shared by lists, widgets, usage and API. Amounts are in micro-USDC, times in ms. */

/** Percentage of `limit` as a whole number, rounded down, at most 999. 100 if the limit is zero. */
export function percentUsed(used: bigint, limit: bigint): number {
  if (limit <= 0n) return 100
  const percent = (used * 100n) / limit
  return percent > 999n ? 999 : Number(percent)
}

/** safe below 75%, warning from 75%, danger from 90%. */
export const levelOf = (percent: number): 'safe' | 'warning' | 'danger' =>
  percent >= 90 ? 'danger' : percent >= 75 ? 'warning' : 'safe'

/** Percentage of confirmed payments, rounded down to one decimal. Null if no payment has ended yet. */
export function successRate(confirmed: number, failed: number): number | null {
  const ended = confirmed + failed
  return ended === 0 ? null : Math.floor((confirmed * 1000) / ended) / 10
}

/** Average, rounded down to whole micro-USDC. Null without payments. */
export const averageOf = (sum: MicroUsdc, count: number): MicroUsdc | null =>
  count === 0 ? null : microUsdc(sum / BigInt(count))

/** Categories of rows that do not count as spent even if confirmed, in a list of all movements. */
export const unspentCategories = ['escrow', 'escrow_reclaim', 'deposit', 'withdrawal'] as const

/**
 * Whether a row of the transaction list counts as spent. Of a payout's two rows in a list of all movements only the withdrawal
 * counts, because it has the date of the spending; the funding may be in another month. In a list of payments (listsPayments)
 * a payout has only its own row, which counts.
 */
export const isSpent = (row: { category: string; status: string }, isOfPayments: boolean): boolean =>
  row.status === 'CONFIRMED' && (isOfPayments || !unspentCategories.some((category) => category === row.category))

/** The UTC month of `now` ('YYYY-MM'), its start and the start of the next. */
export function monthOf(now: number): { month: string; startsAt: number; endsAt: number } {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    month: `${year}-${String(month + 1).padStart(2, '0')}`,
    startsAt: Date.UTC(year, month, 1),
    endsAt: Date.UTC(year, month + 1, 1),
  }
}

/** The spans of charts, in days. */
export const spans = [7, 30, 90] as const
export type Span = (typeof spans)[number]

/** The last UTC days including today, oldest first: 'YYYY-MM-DD' and the start of the day. */
export function lastDays(now: number, count: number): { day: string; startsAt: number }[] {
  const today = Math.floor(now / dayMs) * dayMs
  return Array.from({ length: count }, (_, i) => {
    const startsAt = today - (count - 1 - i) * dayMs
    return { day: new Date(startsAt).toISOString().slice(0, 10), startsAt }
  })
}

/** A forecast needs at least an hour of history, or a single payment would dominate it. */
const minHistoryMs = hourMs
/** Forecasts beyond this are meaningless. */
const maxForecastMs = 3650 * dayMs // 10 years

/** When `remaining` is used up if spending continues as in the last `windowMs`. Null if that cannot be estimated. */
export function lastsUntil(spent: bigint, windowMs: number, remaining: bigint, now: number): number | null {
  if (spent <= 0n || windowMs < minHistoryMs) return null
  const leftMs = (remaining * BigInt(Math.floor(windowMs))) / spent
  return leftMs > BigInt(maxForecastMs) ? null : now + Number(leftMs)
}
