import { createFileRoute } from '@tanstack/react-router'
import { Calculator } from 'lucide-react'
import { lazy, Suspense, startTransition, useMemo, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { PageHeader, Syncing } from '#web/components/Card.tsx'
import { EmptyState } from '#web/components/states.tsx'
import { listSearchOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { FilterChips, ListButtons } from '#web/lists/FilterBar.tsx'
import { PagedCard } from '#web/lists/PagedCard.tsx'
import { useListPage } from '#web/lists/useListPage.ts'
import { type TransactionList, transactionList } from './-transactions/list.tsx'
import { rowsWith } from './-transactions/rows.tsx'

export const Route = createFileRoute('/dashboard/transactions')({
  validateSearch: listSearchOf<TransactionList>,
  component: TransactionsPage,
})

const FilteredTotal = lazy(async () => ({
  default: (await import('./-transactions/FilteredTotal.tsx')).FilteredTotal,
}))
const BooksDialog = lazy(() => import('./-transactions/BooksDialog.tsx'))
const TransactionDialog = lazy(() => import('./-transactions/TransactionDialog.tsx'))

function TransactionsPage() {
  const page = useListPage(transactionList)
  const { list, detail } = page
  const [hasBooks, setBooks] = useState(false)
  const rows = useMemo(() => rowsWith(page.hrefOf), [page.hrefOf])
  useTitle('Transactions')
  return (
    <>
      <PageHeader title="Transactions" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <Button
          look="secondary"
          className="relative"
          data-small=""
          onClick={() => startTransition(() => setBooks(true))}
        >
          <Calculator aria-hidden="true" className="size-4" />
          <span className="max-sm:sr-only">For accounting</span>
        </Button>
        <ListButtons page={page} />
      </PageHeader>
      <FilterChips page={page} />
      {page.active.length > 0 && (
        <Suspense fallback={<p className="mb-4 min-h-6" />}>
          <FilteredTotal page={list.data?.page} filters={page.values} isStale={page.isStale} />
        </Suspense>
      )}
      <PagedCard
        page={page}
        rows={rows}
        empty={<EmptyState title="No transactions yet">Payments by you and your agents will appear here.</EmptyState>}
      />
      <Suspense>
        {hasBooks && <BooksDialog onClose={() => setBooks(false)} />}
        {detail && <TransactionDialog key={detail} transactionId={detail} known={page.known} onClose={page.close} />}
      </Suspense>
    </>
  )
}
