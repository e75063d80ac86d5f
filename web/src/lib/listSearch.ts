import { decodeCursor } from '#domain/listCursor.ts'
import { type ListSort, listSorts } from '#domain/listFilters.ts'
import type { Range } from './range.ts'
import { searchOf, textOf } from './search.ts'

/** Parsers for the lists' URL parameters, which are untrusted. Every page loads this module, so it imports little. */

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

/** Entries that are not a day or an amount are undefined. */
export const rangeOf = (search: Record<string, unknown>): Range =>
  searchOf({ from: dayOf(search.from), to: dayOf(search.to), min: amountOf(search.min), max: amountOf(search.max) })

/** 'a,b' as a list of the allowed values in it. */
export function listOf<T extends string>(value: unknown, allowed: readonly T[]): T[] {
  const parts = textOf(value)?.split(',') ?? []
  return allowed.filter((one) => parts.includes(one))
}

/** The addresses in 'a,b', in any case; at most 20. */
export const addressesOf = (value: unknown): string[] =>
  (textOf(value)?.split(',') ?? []).filter((one) => /^0x[0-9a-fA-F]{40}$/.test(one)).slice(0, 20)

/** Selects rows of a list: its order, and the page by number or by an adjacent page's cursor. */
export type ListPlace = { page: number; pageSize?: number; sort?: ListSort; cursor?: string }

/** Drops a cursor made for another order; the page is then found by its number. */
export function placeOf(search: { page?: number; sort?: string; cursor?: string }): ListPlace & { sort: ListSort } {
  const sort = listSorts.find((one) => one === search.sort) ?? listSorts[0]
  const { page = 1, cursor } = search
  const isUsable = page > 1 && cursor !== undefined && decodeCursor(cursor)?.sort === sort
  return { page, sort, ...(isUsable && { cursor }) }
}

/** The place as URL parameters, without defaults. */
export const searchOfPlace = ({ page, sort, cursor }: ListPlace) => ({
  ...(sort && sort !== listSorts[0] && { sort }),
  ...(page > 1 && { page }),
  ...(page > 1 && cursor && { cursor }),
})
