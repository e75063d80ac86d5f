import { readAmount } from '#domain/readers/amount.ts'
import { problemIn } from '#domain/readers/read.ts'
import { fieldText, microOf, typedDecimal, typedMicro } from '../lib/amounts.ts'
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

type Problems = { [Name in 'toProblem' | 'minProblem' | 'maxProblem' | 'orderProblem']?: string }

/** Decimals of the amounts in a filter's fields. */
export const filterDecimals = 2

/** What a filter's fields begin with: amounts as text that a person could have typed. */
export const draftOf = <Filters extends Range>(filters: Filters): Filters => ({
  ...filters,
  ...(filters.min && { min: fieldText(filters.min) }),
  ...(filters.max && { max: fieldText(filters.max) }),
})

/** Messages for the invalid fields of a range. Days are compared as text. `orderProblem`: both amounts are valid by themselves. */
export function draftProblems({ from, to, min = '', max = '' }: Range): Problems {
  const amountProblem = (text: string) => (text.trim() ? problemIn(readAmount(text, filterDecimals)) : null)
  const [minProblem, maxProblem] = [amountProblem(min), amountProblem(max)]
  const [least, most] = [typedMicro(min), typedMicro(max)]
  return {
    ...(isWrongWay(from, to) && { toProblem: 'The end must not be before the start' }),
    ...(minProblem && { minProblem }),
    ...(maxProblem && { maxProblem }),
    ...(least !== null && most !== null && least > most && { orderProblem: 'Maximum must be at least the minimum' }),
  }
}

const isWrongWay = (from: string | undefined, to: string | undefined) => Boolean(from && to && from > to)

/** The filter that valid fields stand for. */
export function completeRange<Filters extends Range>(draft: Filters): Filters {
  const { min = '', max = '', ...rest } = draft
  return {
    ...rest,
    ...(min.trim() && { min: typedDecimal(min) }),
    ...(max.trim() && { max: typedDecimal(max) }),
  } as Filters
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
  const isCrossed = min !== undefined && max !== undefined && microOf(min) > microOf(max)
  return {
    ...(!isWrongWay(from, to) && { ...(from && { from }), ...(to && { to }) }),
    ...(!isCrossed && { ...(min && { min }), ...(max && { max }) }),
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

/** 'Nov 1, 2026 to Nov 30, 2026 (UTC)', of a span of UTC days in a URL. */
export function utcDaysText(text: string): string {
  const [first, last] = text.split('..') as [string, string]
  return `${first === last ? 'on ' : ''}${daysText({ from: first, to: last })} (UTC)`
}

/** Null if no amount is set. */
export function amountsText({ min, max }: Range): string | null {
  if (min && max) return `$${formatAmount(min)} to $${formatAmount(max)}`
  if (min) return `At least $${formatAmount(min)}`
  return max ? `At most $${formatAmount(max)}` : null
}
