import type { Page } from '#schemas/common.ts'
import { queryClient } from '../lib/queryClient.ts'

type Rows<Row> = { rows: Row[]; page: Page }

/** Parameters that do not choose rows. */
const places = ['page', 'pageSize', 'sort']

/** Whether a list with these parameters begins with its newest row, whatever that is. */
const showsNewest = (params: Record<string, unknown>) =>
  (params.page ?? 1) === 1 &&
  (params.sort ?? 'newest') === 'newest' &&
  Object.entries(params).every(([name, value]) => value === undefined || places.includes(name))

/**
 * Adds a row that has just been accepted to the loaded first pages without filters, so that it is there before they are read
 * again. `listKey`: the key of the lists, which their parameters follow.
 */
export function addRow<Row extends { id: string }>(listKey: readonly unknown[], row: Row): void {
  const isFirst = (key: readonly unknown[]) => {
    const params = key[listKey.length]
    return typeof params === 'object' && params !== null && showsNewest(params as Record<string, unknown>)
  }
  queryClient.setQueriesData<Rows<Row>>(
    { queryKey: listKey, predicate: ({ queryKey }) => isFirst(queryKey) },
    (data) => {
      if (!data || data.rows.some(({ id }) => id === row.id)) return data
      const { size, total } = data.page
      return { rows: [row, ...data.rows].slice(0, size), page: { ...data.page, total: total + 1 } }
    },
  )
}
