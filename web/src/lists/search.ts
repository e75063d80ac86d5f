import { searchOf, textOf } from '../lib/search.ts'
import type { Range } from './range.ts'

/** What lists take from their URLs. Every page loads this, so it needs nothing else. */

export const transactionTypes = ['payout', 'transfer'] as const
export const transactionStatuses = ['completed', 'failed', 'pending'] as const
export const payoutStatuses = ['CREATING', 'CREATED', 'WITHDRAWN', 'RECLAIMED', 'FAILED'] as const

/** A day that exists, else undefined. */
export function dayOf(value: unknown): string | undefined {
  const [text, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(textOf(value) ?? '') ?? []
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  return date.getMonth() === Number(month) - 1 && date.getDate() === Number(day) ? text : undefined
}

export function amountOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text) ? text : undefined
}

/** From a URL, which anybody may have written: what is no day and no amount is undefined. */
export const rangeOf = (search: Record<string, unknown>): Range =>
  searchOf({ from: dayOf(search.from), to: dayOf(search.to), min: amountOf(search.min), max: amountOf(search.max) })

/** 'a,b' as a list of those that are allowed. */
export function listOf<T extends string>(value: unknown, allowed: readonly T[]): T[] {
  const parts = textOf(value)?.split(',') ?? []
  return allowed.filter((one) => parts.includes(one))
}

/** Addresses in 'a,b', whatever their case. */
export const addressesOf = (value: unknown): string[] =>
  (textOf(value)?.split(',') ?? []).filter((one) => /^0x[0-9a-fA-F]{40}$/.test(one)).slice(0, 20)
