import { type ReactNode, useDeferredValue, useMemo } from 'react'
import { type ListSort, searchedRows } from '#domain/lists.ts'
import { Button } from '../components/Button.tsx'
import { Card } from '../components/Card.tsx'
import { type Column, DataTable, type Sorting, useIsPhone } from '../components/DataTable.tsx'
import { Pager } from '../components/Pager.tsx'
import { Select } from '../components/Select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../components/states.tsx'
import { useRowMotion } from '../components/useRowMotion.ts'
import { formatDate } from '../lib/format.ts'
import type { ListPage } from './useListPage.ts'

/** How a list shows its rows: as a table and, on a phone, in two lines each. */
export type ShownRows<Row> = { columns: Column<Row>[]; compact: (row: Row) => ReactNode }

/** One page of a list in any of its states: loading, failed, empty, no match, beyond the last page, rows. */
export function PagedCard<Row extends { id: string; status: string }>(props: {
  page: ListPage<Row>
  rows: ShownRows<Row>
  /** Shown when the list has no rows at all. */
  empty: ReactNode
}) {
  const { page } = props
  const { columns, compact } = props.rows
  const { name, noun, list } = page
  const isPhone = useIsPhone()
  // Rows are rendered at low priority and only when they change, so that the page responds to input immediately.
  const data = useDeferredValue(list.data)
  const stale = page.isStale || data !== list.data
  const rows = data?.rows
  const box = useRowMotion<HTMLDivElement>(rows, useDeferredValue(page.isStale))
  const sorting = useDeferredValue(page.sorting)
  const table = useMemo(
    () =>
      rows && <DataTable label={name} columns={columns} rows={rows} keyOf={idOf} compact={compact} sorting={sorting} />,
    [rows, columns, name, compact, sorting],
  )
  return (
    <Card className="overflow-hidden">
      {data?.page.searchedUntil && (
        <p role="status" className="border-hairline border-b px-5 py-2 text-muted text-small">
          These are the {searchedRows.toLocaleString('en-US')} that expire first, until{' '}
          {formatDate(data.page.searchedUntil)}.
        </p>
      )}
      {data?.page.searchedFrom && (
        <p role="status" className="border-hairline border-b px-5 py-2 text-muted text-small">
          Filters search the newest {searchedRows.toLocaleString('en-US')} {noun} of the chosen days. These go back to{' '}
          {formatDate(data.page.searchedFrom)}: choose that as the last day to search older ones.
        </p>
      )}
      {data ? (
        data.page.total === 0 ? (
          page.active.length > 0 ? (
            <EmptyState title={`No ${noun} found`} action={<Button onClick={page.clear}>Clear Filters</Button>}>
              No {noun} match your filters.
            </EmptyState>
          ) : (
            props.empty
          )
        ) : data.rows.length === 0 ? (
          <EmptyState
            title="Nothing on this page"
            action={<Button onClick={() => page.goTo(1)}>Go to the first page</Button>}
          >
            There is no page {data.page.number}.
          </EmptyState>
        ) : (
          <>
            {isPhone && <SortSelect sorts={page.sorts} sorting={page.sorting} />}
            <div ref={box} aria-busy={stale} className="transition-opacity aria-busy:opacity-60">
              {table}
            </div>
            <Pager page={data.page} noun={noun} onPage={page.goTo} />
          </>
        )
      ) : list.error ? (
        <ErrorState error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <SkeletonRows rows={8} />
      )}
    </Card>
  )
}

const idOf = (row: { id: string }) => row.id

const sortNames: Record<ListSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  largest: 'Largest first',
  smallest: 'Smallest first',
  soonest: 'Expires first',
  latest: 'Expires last',
}

/** Replaces the table's header, for which a phone has no room. */
const SortSelect = ({ sorts, sorting }: { sorts: readonly ListSort[]; sorting: Sorting }) => (
  <div className="border-hairline border-b px-5 py-2">
    <Select
      aria-label="Sort by"
      value={sorting.value}
      onChange={({ target }) => sorting.onChange(target.value)}
      choices={sorts.map((sort) => [sort, sortNames[sort]])}
    />
  </div>
)
