import { plainAmount } from '#domain/amountText.ts'
import { microUsdc, parseUsdc } from '#domain/money.ts'
import { formatAmount, formatDate } from '../lib/format.ts'
import { textOf } from '../lib/search.ts'

/** The day and amount filters of every list: local days ('YYYY-MM-DD', both inclusive) and decimal USDC. */
export type Range = { [Name in 'from' | 'to' | 'min' | 'max']?: string | undefined }

/** Local midnight at the start of a day; null if the text is not a date. */
function startOf(day: string, plusDays = 0): Date | null {
  const [year, month, date] = day.split('-').map(Number)
  const start = new Date(year ?? Number.NaN, (month ?? 1) - 1, (date ?? 1) + plusDays)
  return Number.isNaN(start.getTime()) ? null : start
}

/** Messages for the invalid ends of a range. Days are compared as text. */
export function rangeProblems({ from, to, min, max }: Range): { toProblem?: string; maxProblem?: string } {
  const micro = (text: string) => parseUsdc(plainAmount(text)) ?? microUsdc(0n)
  return {
    ...(from && to && from > to && { toProblem: 'The end must not be before the start' }),
    ...(min && max && micro(min) > micro(max) && { maxProblem: 'Maximum must be at least the minimum' }),
  }
}

/** Completes half-typed amounts: '25.' → '25', '.5' → '0.5'. A lone point is not an amount and is dropped. */
export function completeRange<Filters extends Range>(filters: Filters): Filters {
  const { min, max, ...rest } = filters
  const [least, most] = [min && plainAmount(min), max && plainAmount(max)]
  return { ...rest, ...(least && { min: least }), ...(most && { max: most }) } as Filters
}

/** The local day of an instant, as 'YYYY-MM-DD'. */
function localDay(at: number | Date): string {
  const date = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Common date ranges, in local days up to `now`. */
export function datePresets(now: Date): { label: string; from: string; to: string }[] {
  const at = (year: number, month: number, date: number) => localDay(new Date(year, month, date))
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()]
  return [
    { label: 'Last 7 days', from: at(year, month, date - 6), to: at(year, month, date) },
    { label: 'Last 30 days', from: at(year, month, date - 29), to: at(year, month, date) },
    { label: 'This month', from: at(year, month, 1), to: at(year, month, date) },
    { label: 'Last month', from: at(year, month - 1, 1), to: at(year, month, 0) },
  ]
}

/** A day that exists, else undefined. */
export function dayOf(value: unknown): string | undefined {
  const [text, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(textOf(value) ?? '') ?? []
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  return date.getMonth() === Number(month) - 1 && date.getDate() === Number(day) ? text : undefined
}

function amountOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text) ? text : undefined
}

/** The range in an untrusted URL, without values of the wrong form and impossible pairs of days or amounts. */
export function rangeOf(search: Record<string, unknown>): Range {
  const [from, to] = [dayOf(search.from), dayOf(search.to)]
  const [min, max] = [amountOf(search.min), amountOf(search.max)]
  const { toProblem, maxProblem } = rangeProblems({ from, to, min, max })
  return {
    ...(!toProblem && { ...(from && { from }), ...(to && { to }) }),
    ...(!maxProblem && { ...(min && { min }), ...(max && { max }) }),
  }
}

/** The range as API parameters: instants, with an exclusive end. */
export const rangeParams = ({ from, to, min, max }: Range) => ({
  from: (from && startOf(from)?.toISOString()) || undefined,
  to: (to && startOf(to, 1)?.toISOString()) || undefined,
  amountMin: min,
  amountMax: max,
})

const dayText = (day: string) => formatDate(startOf(day)?.getTime() ?? 0)

/** Null if no day is set. */
export function daysText({ from, to }: Range): string | null {
  if (from && to) return from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`
  if (from) return `From ${dayText(from)}`
  return to ? `Until ${dayText(to)}` : null
}

/** Null if no amount is set. */
export function amountsText({ min, max }: Range): string | null {
  if (min && max) return `$${formatAmount(min)} to $${formatAmount(max)}`
  if (min) return `At least $${formatAmount(min)}`
  return max ? `At most $${formatAmount(max)}` : null
}
