import { microUsdc, parseUsdc } from '../../../worker/domain/money.ts'
import { formatAmount, formatDate } from '../lib/format.ts'

/** The part that both lists' filters share: local days ('YYYY-MM-DD', both inclusive) and decimal USDC. */
export type Range = { from?: string; to?: string; min?: string; max?: string }

function startOf(day: string, plusDays = 0): Date | null {
  const [year, month, date] = day.split('-').map(Number)
  const start = new Date(year ?? Number.NaN, (month ?? 1) - 1, (date ?? 1) + plusDays)
  return Number.isNaN(start.getTime()) ? null : start
}

type Texts = { [Name in keyof Range]: string | undefined }

/** Days compare as texts. */
export function rangeProblems({ from, to, min, max }: Texts): { toProblem?: string; maxProblem?: string } {
  const micro = (text: string) => parseUsdc(text) ?? microUsdc(0n)
  return {
    ...(from && to && from > to && { toProblem: 'The end must not be before the start' }),
    ...(min && max && micro(min) > micro(max) && { maxProblem: 'Maximum must be at least the minimum' }),
  }
}

/** Without what is impossible together, as a URL may have it. */
export function soundRange({ from, to, min, max }: Range): Range {
  const { toProblem, maxProblem } = rangeProblems({ from, to, min, max })
  return {
    ...(!toProblem && { ...(from && { from }), ...(to && { to }) }),
    ...(!maxProblem && { ...(min && { min }), ...(max && { max }) }),
  }
}

/** As the API asks for it: moments, the end exclusive. */
export function rangeParams({ from, to, min, max }: Range): Record<string, string | undefined> {
  return {
    from: (from && startOf(from)?.toISOString()) || undefined,
    to: (to && startOf(to, 1)?.toISOString()) || undefined,
    amountMin: min,
    amountMax: max,
  }
}

const dayText = (day: string) => formatDate(startOf(day)?.getTime() ?? 0)

/** Null when no day is set. */
export function daysText({ from, to }: Range): string | null {
  if (from && to) return from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`
  if (from) return `From ${dayText(from)}`
  return to ? `Until ${dayText(to)}` : null
}

export function amountsText({ min, max }: Range): string | null {
  if (min && max) return `$${formatAmount(min)} to $${formatAmount(max)}`
  if (min) return `At least $${formatAmount(min)}`
  return max ? `At most $${formatAmount(max)}` : null
}

/** A query string of what is set. */
export function queryOf(params: Record<string, string | number | undefined>): string {
  const set = Object.entries(params).filter((entry): entry is [string, string | number] => Boolean(entry[1]))
  return new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()
}
