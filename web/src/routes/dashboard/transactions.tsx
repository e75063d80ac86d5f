import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, startTransition, useDeferredValue, useMemo, useState } from 'react'
import { type ListSort, transactionStatuses, transactionTypes } from '#domain/listFilters.ts'
import { PageHeader } from '#web/components/Card.tsx'
import { Syncing } from '#web/components/Syncing.tsx'
import { EmptyState } from '#web/components/states.tsx'
import { type ListPlace, listOf, placeOf, rangeOf, searchOfPlace } from '#web/lib/listSearch.ts'
import { validRange } from '#web/lib/range.ts'
import { pageOf, searchOf, textsOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { ExportButton, FilterChips, FiltersButton } from '#web/lists/FilterBar.tsx'
import { PagedCard } from '#web/lists/PagedCard.tsx'
import { useAfterPaint } from '#web/lists/useAfterPaint.ts'
import {
  exportTransactions,
  refreshTransactions,
  type Transaction,
  type TransactionFilters,
  transactionsQuery,
} from '#web/queries/transactions.ts'
import { FilteredTotal } from './-transactions/FilteredTotal.tsx'
import { columnsWith, compactWith } from './-transactions/rows.tsx'
import { useActiveFilters } from './-transactions/useActiveFilters.ts'

/** Reads the parameters as text only. Every page loads this, so only the page itself interprets the filters. */
const read = (search: Record<string, unknown>) => ({
  ...searchOf({ page: pageOf(search.page) }),
  ...textsOf(search, [
    'detail',
    'type',
    'status',
    'sender',
    'contact',
    'wallet',
    'from',
    'to',
    'min',
    'max',
    'sort',
    'cursor',
  ]),
})

export const Route = createFileRoute('/dashboard/transactions')({
  validateSearch: read,
  component: TransactionsPage,
})

const TransactionDialog = lazy(() => import('./-transactions/TransactionDialog.tsx'))
const TransactionFilter = lazy(() => import('./-transactions/TransactionFilter.tsx'))
const AddAsContact = lazy(() => import('./-transactions/AddAsContact.tsx'))
const ReclaimPayout = lazy(() => import('./-transactions/ReclaimPayout.tsx'))

const refreshMs = 30_000 // 30 seconds

function filtersOf(search: ReturnType<typeof read>): TransactionFilters {
  const status = listOf(search.status, transactionStatuses)
  const type = transactionTypes.find((one) => one === search.type)
  const { sender, contact, wallet } = search
  return {
    ...(status.length > 0 && { status }),
    ...(type && { type }),
    ...(sender && { sender }),
    ...(contact && { contact }),
    ...(wallet && { wallet }),
    ...validRange(rangeOf(search)),
  }
}

function TransactionsPage() {
  const search = Route.useSearch()
  const { detail } = search
  const filtered = searchOf({ ...search, page: undefined, cursor: undefined, sort: undefined, detail: undefined })
  const place = placeOf(search)
  const navigate = Route.useNavigate()
  // Names and contact details stay out of the URL.
  const [people, setPeople] = useState<Pick<TransactionFilters, 'recipient' | 'memo'>>({})
  const [filtering, setFiltering] = useState(false)
  const [isWaiting, afterPaint] = useAfterPaint()
  const [adding, setAdding] = useState<Transaction | null>(null)
  const [reclaiming, setReclaiming] = useState<string | null>(null)
  const filters: TransactionFilters = { ...filtersOf(search), ...people }
  const list = useQuery({ ...transactionsQuery(place, filters), refetchInterval: detail ? false : refreshMs })
  useTitle('Transactions')

  const apply = ({ recipient, memo, status: chosen, ...shown }: TransactionFilters) => {
    setFiltering(false)
    afterPaint(() => {
      setPeople(searchOf({ recipient, memo }))
      navigate({
        search: {
          ...shown,
          ...(chosen && { status: chosen.join(',') }),
          ...searchOfPlace({ page: 1, sort: place.sort }),
        },
      })
    })
  }
  const active = useActiveFilters(filters, apply)
  const clear = () => apply({})
  const here = { ...filtered, ...searchOfPlace(place) }
  const hrefOfDetail = useHrefOfDetail(here)
  const { columns, compact } = useMemo(() => {
    const hrefOf = (id: string) => hrefOfDetail + encodeURIComponent(id)
    return { columns: columnsWith(hrefOf), compact: compactWith(hrefOf) }
  }, [hrefOfDetail])
  const goTo = (to: ListPlace) => afterPaint(() => navigate({ search: { ...filtered, ...searchOfPlace(to) } }))
  return (
    <>
      <PageHeader title="Transactions" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <ExportButton
          name="bursar-transactions.csv"
          disabled={!list.data?.page.total}
          load={() => exportTransactions(filters, place.sort)}
        />
        <FiltersButton active={active} onOpen={() => startTransition(() => setFiltering(true))} />
      </PageHeader>
      <FilterChips active={active} onClear={clear} />
      {active.length > 0 && <FilteredTotal page={list.data?.page} isStale={list.isPlaceholderData || isWaiting} />}
      <PagedCard
        noun="transactions"
        list={list}
        columns={columns}
        compact={compact}
        sorting={{ value: place.sort, onChange: (sort) => goTo({ page: 1, sort: sort as ListSort }) }}
        isFiltered={active.length > 0}
        isWaiting={isWaiting}
        onClear={clear}
        onPage={(page, cursor) => goTo({ page, sort: place.sort, ...(cursor && { cursor }) })}
        empty={<EmptyState title="No transactions yet">Payments by you and your agents will appear here.</EmptyState>}
      />
      <Suspense>
        {filtering && <TransactionFilter value={filters} onApply={apply} onClose={() => setFiltering(false)} />}
        {detail && !adding && !reclaiming && (
          <TransactionDialog
            key={detail}
            transactionId={detail}
            known={list.data?.rows.find((transaction) => transaction.id === detail)}
            onAddContact={setAdding}
            onReclaim={setReclaiming}
            onClose={() => navigate({ search: here, replace: true })}
          />
        )}
        {reclaiming && (
          <ReclaimPayout
            escrowId={reclaiming}
            onClose={() => {
              setReclaiming(null)
              refreshTransactions()
            }}
          />
        )}
        {adding && <AddAsContact transaction={adding} onClose={() => setAdding(null)} />}
      </Suspense>
    </>
  )
}

/** The link to a transaction's details, without the id at its end. Deferred, so that rows update at low priority. */
function useHrefOfDetail(here: ReturnType<typeof read>): string {
  const { href } = useRouter().buildLocation({ to: '/dashboard/transactions', search: here })
  return useDeferredValue(`${href}${href.includes('?') ? '&' : '?'}detail=`)
}
