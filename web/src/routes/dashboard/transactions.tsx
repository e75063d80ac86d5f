import { useQuery } from '@tanstack/react-query'
import { createFileRoute, useRouter } from '@tanstack/react-router'
import { Eye } from 'lucide-react'
import { lazy, Suspense, startTransition, useDeferredValue, useMemo, useState } from 'react'
import { transactionStatuses, transactionTypes } from '#domain/listFilters.ts'
import { Amount } from '../../components/Amount.tsx'
import { PageHeader } from '../../components/Card.tsx'
import { Counterparty } from '../../components/Counterparty.tsx'
import type { Column } from '../../components/DataTable.tsx'
import { RowLink } from '../../components/RowLink.tsx'
import { Syncing } from '../../components/Syncing.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/Time.tsx'
import { TransactionStatus } from '../../components/TransactionStatus.tsx'
import { listOf, rangeOf } from '../../lib/listSearch.ts'
import { validRange } from '../../lib/range.ts'
import { pageOf, searchOf, textsOf } from '../../lib/search.ts'
import { categoryLabel, senderOf } from '../../lib/transactionStatus.ts'
import { useTitle } from '../../lib/useTitle.ts'
import { ExportButton, FilterChips, FiltersButton } from '../../lists/FilterBar.tsx'
import { PagedCard } from '../../lists/PagedCard.tsx'
import { useAfterPaint } from '../../lists/useAfterPaint.ts'
import {
  exportTransactions,
  refreshTransactions,
  type Transaction,
  type TransactionFilters,
  transactionsQuery,
} from '../../queries/transactions.ts'
import { useActiveFilters } from './-transactions/useActiveFilters.ts'

/** Reads the parameters as texts only; the page interprets the filters, since every page loads this. */
const read = (search: Record<string, unknown>) => ({
  ...searchOf({ page: pageOf(search.page) }),
  ...textsOf(search, ['detail', 'type', 'status', 'sender', 'contact', 'wallet', 'from', 'to', 'min', 'max']),
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

/** `hrefOf`: the link to a transaction's details. */
const columnsWith = (hrefOf: (transactionId: string) => string): Column<Transaction>[] => [
  { header: 'Date', cell: (transaction) => <Time iso={transaction.createdAt} /> },
  {
    header: 'Type',
    cell: (transaction) => (
      <>
        {categoryLabel(transaction)}
        <p className="wrap-anywhere text-muted max-md:hidden lg:hidden">by {senderOf(transaction)}</p>
      </>
    ),
  },
  {
    header: 'Sender',
    wideOnly: true,
    cell: (transaction) => <span className="wrap-anywhere">{senderOf(transaction)}</span>,
  },
  {
    header: 'Recipient',
    cell: (transaction) => (
      <>
        <Counterparty transaction={transaction} />
        {transaction.memo && (
          <p className="line-clamp-1 max-w-64 wrap-anywhere text-muted max-md:ml-auto">{transaction.memo}</p>
        )}
      </>
    ),
  },
  {
    header: 'Amount',
    align: 'right',
    cell: (transaction) => <Amount value={transaction.amountUsdc} chain={transaction.fromWalletChain} />,
  },
  { header: 'Status', cell: (transaction) => <TransactionStatus transaction={transaction} /> },
  {
    header: 'Actions',
    bare: true,
    align: 'right',
    cell: (transaction) => (
      <RowLink
        href={hrefOf(transaction.id)}
        aria-label={`View details of ${categoryLabel(transaction)}, ${transaction.amountUsdc} USDC`}
        title="View details"
        className="inline-flex size-8 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-11"
      >
        <Eye aria-hidden="true" className="size-4" />
      </RowLink>
    ),
  },
]

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
  const { page = 1, detail, ...rest } = search
  const navigate = Route.useNavigate()
  // Names and contact details stay out of the URL.
  const [people, setPeople] = useState<Pick<TransactionFilters, 'recipient' | 'memo'>>({})
  const [filtering, setFiltering] = useState(false)
  const [isWaiting, afterPaint] = useAfterPaint()
  const [adding, setAdding] = useState<Transaction | null>(null)
  const [reclaiming, setReclaiming] = useState<string | null>(null)
  const filters: TransactionFilters = { ...filtersOf(search), ...people }
  const list = useQuery({ ...transactionsQuery(page, 25, filters), refetchInterval: detail ? false : refreshMs })
  useTitle('Transactions')

  const apply = ({ recipient, memo, status: chosen, ...shown }: TransactionFilters) => {
    setFiltering(false)
    afterPaint(() => {
      setPeople(searchOf({ recipient, memo }))
      navigate({ search: { ...shown, ...(chosen && { status: chosen.join(',') }) } })
    })
  }
  const active = useActiveFilters(filters, apply)
  const clear = () => apply({})
  const here = searchOf({ ...rest, page: undefined })
  const hrefOfDetail = useHrefOfDetail(page > 1 ? { ...here, page } : here)
  const columns = useMemo(() => columnsWith((id) => hrefOfDetail + encodeURIComponent(id)), [hrefOfDetail])
  return (
    <>
      <PageHeader title="Transactions" aside={<Syncing active={list.isFetching && !list.isPending} />}>
        <ExportButton
          name="bursar-transactions.csv"
          disabled={!list.data?.page.total}
          load={() => exportTransactions(filters)}
        />
        <FiltersButton active={active} onOpen={() => startTransition(() => setFiltering(true))} />
      </PageHeader>
      <FilterChips active={active} onClear={clear} />
      <PagedCard
        noun="transactions"
        list={list}
        columns={columns}
        isFiltered={active.length > 0}
        isWaiting={isWaiting}
        onClear={clear}
        onPage={(next) => afterPaint(() => navigate({ search: next > 1 ? { ...here, page: next } : here }))}
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
            onClose={() => navigate({ search: page > 1 ? { ...here, page } : here })}
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

/** The link to details, without the id at its end. The rows take changes of it with low priority. */
function useHrefOfDetail(here: ReturnType<typeof read>): string {
  const { href } = useRouter().buildLocation({ to: '/dashboard/transactions', search: here })
  return useDeferredValue(`${href}${href.includes('?') ? '&' : '?'}detail=`)
}
