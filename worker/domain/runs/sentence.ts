import type { MicroUsdc } from '../money.ts'
import type { Forecast } from './forecast.ts'

/** `payments`: rows that would be paid, to so many different `recipients`. `leftOut`: rows that would not. */
export type RunSummary = { payments: number; total: MicroUsdc; recipients: number; leftOut: number }

/** '80 payments, 410.00 USDC, to 78 people; 2 rows are left out; done in about a minute' */
export function runSentence(_summary: RunSummary, _forecast: Forecast, _now: number): string {
  return ''
}
