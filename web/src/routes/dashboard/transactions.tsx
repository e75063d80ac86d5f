import { createFileRoute } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import type { Page } from '#schemas/common.ts'
import { Amount } from '#web/components/Amount.tsx'
import { PageHeader, Syncing } from '#web/components/Card.tsx'
import { EmptyState } from '#web/components/states.tsx'
import { plural } from '#web/lib/format.ts'
import type { Chain } from '#web/lib/networks.ts'
import { listSearchOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { FilterChips, ListButtons } from '#web/lists/FilterBar.tsx'
import { PagedCard } from '#web/lists/PagedCard.tsx'
import { useListPage } from '#web/lists/useListPage.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { type TransactionList, transactionList } from './-transactions/list.tsx'
import { rowsWith } from './-transactions/rows.tsx'

export const Route = createFileRoute('/dashboard/transactions')({
  validateSearch: listSearchOf<TransactionList>,
  component: TransactionsPage,
})

const TransactionDialog = lazy(() => import('./-transactions/TransactionDialog.tsx'))

function TransactionsPage() {
  const page = useListPage(transactionList)
  const { list, detail } = page
  const rows = useMemo(() => rowsWith(page.hrefOf), [page.hrefOf])
  useTitle('Transactions')
  return (
    <>
      <PageHeader title="Transactions" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <ListButtons page={page} />
      </PageHeader>
      <FilterChips page={page} />
      {page.active.length > 0 && <FilteredTotal page={list.data?.page} isStale={page.isStale} />}
      <PagedCard
        page={page}
        rows={rows}
        empty={<EmptyState title="No transactions yet">Payments by you and your agents will appear here.</EmptyState>}
      />
      <Suspense>
        {detail && <TransactionDialog key={detail} transactionId={detail} known={page.known} onClose={page.close} />}
      </Suspense>
    </>
  )
}

/**
 * The number of transactions that match the filters and the sum they spent, on all pages. Keeps its line while loading.
 */
function FilteredTotal(props: { page: Page | undefined; isStale: boolean }) {
  const primary = usePrimaryChain()
  const { total, spent } = props.page ?? {}
  const other: Chain = primary === 'base' ? 'base-sepolia' : 'base'
  return (
    <p
      role="status"
      aria-busy={props.isStale}
      className="mb-4 min-h-6 text-muted transition-opacity aria-busy:opacity-60"
    >
      {spent && total ? (
        <>
          {plural(total, 'transaction')}. Spent:{' '}
          <Amount value={spent[primary]} chain={primary} className="font-semibold text-ink" />
          {spent[other] !== '0' && (
            <>
              {' '}
              and, separately, <Amount value={spent[other]} chain={other} className="text-ink" />
            </>
          )}
          . <span className="text-small">Counts completed payments; payouts count once withdrawn.</span>
        </>
      ) : null}
    </p>
  )
}
