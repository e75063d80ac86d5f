import { formatUsdcText, type MicroUsdc } from '../money.ts'
import { plural } from '../words.ts'
import { type Forecast, forecastText } from './forecast.ts'

/** `payments`: rows that would be paid, to so many different `recipients`. `leftOut`: rows that would not. */
export type RunSummary = { payments: number; total: MicroUsdc; recipients: number; leftOut: number }

/** '80 payments, 410.00 USDC, to 78 people; 2 rows are left out; done in about a minute' */
export function runSentence(
  { payments, total, recipients, leftOut }: RunSummary,
  forecast: Forecast,
  now: number,
): string {
  const paid = `${plural(payments, 'payment')}, ${formatUsdcText(total)} USDC, to ${plural(recipients, 'person', 'people')}`
  const left = leftOut === 1 ? '1 row is left out' : `${leftOut} rows are left out`
  const parts = [payments === 0 ? 'No payments' : paid, leftOut > 0 ? left : '', forecastText(forecast, now)]
  return parts.filter((part) => part !== '').join('; ')
}
