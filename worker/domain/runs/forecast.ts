import type { GasLevel } from '../gasAllowance.ts'
import type { Limits } from '../limits.ts'

/** How many rows a run pays per day under the account's limits, and when it is done. */

/** `sends` are paid to addresses; the others are payouts. */
export type RowCounts = { sends: number; emails: number; sms: number }

/** Gas and messages that are used already today, by the run, and by everybody in the account with it. */
export type UsedToday = { gas: RunsPart; emails: RunsPart; sms: RunsPart }
type RunsPart = { byRun: number; byAll: number }

/** `limits` are those of the account. `level`: its gas today (`levelAt`). */
export type RunAllowance = { limits: Limits; level: GasLevel; used: UsedToday }

/** `perDay`: rows on each day, beginning with today's (UTC). `doneAt` (ms): null if the limits never let it end. */
export type Forecast = { perDay: number[]; doneAt: number | null }

export function forecastRun(_rows: RowCounts, _allowance: RunAllowance, now: number): Forecast {
  return { perDay: [], doneAt: now }
}

/** 'done in about a minute', or '80 today, 160 tomorrow; done about Thursday'. Begins without a capital letter. */
export function forecastText(_forecast: Forecast, _now: number): string {
  return ''
}
