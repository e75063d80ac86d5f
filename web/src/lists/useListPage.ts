import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useState, useTransition } from 'react'
import { decodeCursor, type ListSort, listSorts } from '#domain/lists.ts'
import type { PageQuery } from '#schemas/api.ts'
import type { Page } from '#schemas/common.ts'
import { pageOf, textOf } from '../lib/search.ts'
import { useWhileHere } from '../lib/useWhileHere.ts'
import type { Filter } from './filters.ts'
import { amountsText, daysText, rangeOf, rangeParams } from './range.ts'
import { refreshIn } from './refreshIn.ts'

/** What a list page is made of. All lists can also be filtered by days and amounts, and have the same sort orders. */
export type ListDefinition<Row extends { id: string }, Params> = {
  path: '/dashboard/transactions' | '/dashboard/payouts'
  /** Plural name of the rows, such as 'Payouts'. */
  name: string
  query: (params: Params & PageQuery) => UseQueryOptions<Rows<Row>, Error, Rows<Row>, readonly unknown[]>
  exportRows: (params: Params) => Promise<Blob>
  /** By the names of the API's parameters. The order is that of the fields and of the active filters. */
  filters: { [Name in keyof Params]?: Filter }
  /** Whether the row will change soon by itself. */
  isMoving: (row: Row) => boolean
  /** The details of a row rely on the list, so it is refreshed while they are open. */
  isDetailFromList?: true
  /** Its orders, if it has others besides those of all lists. */
  sorts?: readonly ListSort[]
}
type Rows<Row> = { rows: Row[]; page: Page }

/** Filters that are set, by name; never empty texts. */
export type FilterValues = Record<string, string>

/** A filter that is set, or two that belong together, such as the first and the last day. */
export type ActiveFilter = { names: string[]; value: string; useText: Filter['useText'] }

/** What the buttons and chips of a filtered list need. */
export type FilteredPage = Pick<
  ListPage,
  'name' | 'noun' | 'filters' | 'values' | 'active' | 'apply' | 'clear' | 'remove' | 'exportRows' | 'total'
> & { hasAmounts: boolean }

export type ListPage<Row extends { id: string } = { id: string }> = ReturnType<typeof useListPage<Row, unknown>>

export const rangeNames = ['from', 'to', 'min', 'max']

const asIs = (text: string) => text

export const pick = <T>(values: Record<string, T>, isPicked: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== undefined && isPicked(name)))

/** The state of a list page, which is in the URL, and the rows that belong to it. */
export function useListPage<Row extends { id: string }, Params>(definition: ListDefinition<Row, Params>) {
  const { path, name, sorts = listSorts } = definition
  const filters = definition.filters as Record<string, Filter>
  const isPersonal = (name: string) => filters[name]?.isPersonal === true
  const isInUrl = (name: string) => rangeNames.includes(name) || (name in filters && !isPersonal(name))

  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const whileHere = useWhileHere()
  const [personalValues, setPersonalValues] = useState<Record<string, string>>({})
  const [isWaiting, afterPaint] = useAfterPaint()

  const place = placeOf(search, sorts)
  const filtered = pick(search, isInUrl)
  const here = { ...filtered, ...searchOfPlace(place) }
  const go = (to: Record<string, unknown>, replace = false) => navigate({ to: path, search: to as object, replace })

  const {
    values,
    active,
    params: chosen,
  } = readFilters(filters, (name) => (isPersonal(name) ? personalValues[name] : search[name]))
  const params = { ...chosen, sort: place.sort } as Params

  const detail = textOf(search.detail)
  const list = useQuery({
    ...definition.query({ ...params, page: place.page, cursor: place.cursor }),
    refetchInterval: ({ state }) =>
      detail && !definition.isDetailFromList ? false : refreshIn(state.data?.rows, definition.isMoving),
  })

  // Deferred, so that rows update at low priority.
  const { href } = useRouter().buildLocation({ to: path, search: here })
  const hrefOfDetail = useDeferredValue(`${href}${href.includes('?') ? '&' : '?'}detail=`)

  const goTo = (to: ListPlace) => afterPaint(() => go({ ...filtered, ...searchOfPlace(to) }))
  const apply = (next: Record<string, string>) =>
    afterPaint(() => {
      setPersonalValues(pick(next, isPersonal))
      go({ ...pick(next, isInUrl), ...searchOfPlace({ page: 1, sort: place.sort }) })
    })
  return {
    name,
    /** The name within a sentence. */
    noun: name.toLowerCase(),
    filters,
    /** The filters that are set. */
    values,
    active,
    list,
    total: list.data?.page.total,
    hasAmounts: true,
    /** How often the list is read, for figures beside it (ms). */
    refreshMs: refreshIn(list.data?.rows, definition.isMoving),
    /** Other rows than those on screen have been requested, or are about to be. */
    isStale: isWaiting || list.isPlaceholderData,
    apply,
    clear: () => apply({}),
    remove: (names: string[]) => apply(pick(values, (one) => !names.includes(one))),
    goTo: (page: number, cursor?: string) => goTo({ page, sort: place.sort, ...(cursor && { cursor }) }),
    sorts,
    sorting: { value: place.sort, onChange: (sort: string) => goTo({ page: 1, sort: sort as ListSort }) },
    exportRows: () => definition.exportRows(params),
    /** The id in the URL of the row whose details are open, and that row if it is on this page. */
    detail,
    known: list.data?.rows.find(({ id }) => id === detail),
    hrefOf: useCallback((id: string) => hrefOfDetail + encodeURIComponent(id), [hrefOfDetail]),
    /** Opens a dialog that has its own parameter in the URL, and closes it. */
    open: (dialog: Record<string, unknown>) => go({ ...here, ...dialog }),
    close: () => whileHere(() => go(here, true)),
  }
}

/** The filters that are set, for the dialog, the chips and the API. `read`: what a URL, which is untrusted, has for a name. */
export function readFilters(filters: Record<string, Filter>, read: (name: string) => unknown) {
  const own = Object.entries(filters).flatMap(([name, { parse }]) => {
    const value = parse(textOf(read(name)) ?? '')
    return value ? [[name, value] as const] : []
  })
  const range = rangeOf(Object.fromEntries(rangeNames.map((name) => [name, read(name)])))
  const active: ActiveFilter[] = [
    ...own.map(([filter, value]) => ({ names: [filter], value, useText: filters[filter]!.useText })),
    { names: ['from', 'to'], value: daysText(range) ?? '', useText: asIs },
    { names: ['min', 'max'], value: amountsText(range) ?? '', useText: asIs },
  ].filter(({ value }) => value)
  return {
    values: { ...Object.fromEntries(own), ...range } as FilterValues,
    active,
    params: { ...Object.fromEntries(own), ...rangeParams(range) } as Record<string, string | undefined>,
  }
}

/** Selects rows of a list: its order, and the page by number or by an adjacent page's cursor. */
type ListPlace = { page: number; sort?: ListSort; cursor?: string }

/** Drops a cursor made for another order; the page is then found by its number. */
function placeOf(search: Record<string, unknown>, sorts: readonly ListSort[]): ListPlace & { sort: ListSort } {
  const sort = sorts.find((one) => one === search.sort) ?? listSorts[0]
  const [page, cursor] = [pageOf(search.page) ?? 1, textOf(search.cursor)]
  const isUsable = page > 1 && cursor !== undefined && decodeCursor(cursor)?.sort === sort
  return { page, sort, ...(isUsable && { cursor }) }
}

/** The place as URL parameters, without defaults. */
const searchOfPlace = ({ page, sort, cursor }: ListPlace) => ({
  ...(sort && sort !== listSorts[0] && { sort }),
  ...(page > 1 && { page }),
  ...(page > 1 && cursor && { cursor }),
})

/**
 * For actions that redraw a whole page, such as a URL change. `afterPaint(act)` first lets the page respond to the input
 * (`isWaiting` turns true, which dims the list; a dialog closes) and runs `act` after the next paint.
 */
function useAfterPaint(): [isWaiting: boolean, afterPaint: (act: () => void) => void] {
  const [isWaiting, start] = useTransition()
  const afterPaint = (act: () => void) =>
    start(async () => {
      await painted()
      act()
    })
  return [isWaiting, afterPaint]
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
