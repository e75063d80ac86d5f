import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { Eye } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Amount } from '../../components/Amount.tsx'
import { Card, PageHeader } from '../../components/Card.tsx'
import { Counterparty } from '../../components/Counterparty.tsx'
import { type Column, DataTable } from '../../components/DataTable.tsx'
import { Pager } from '../../components/Pager.tsx'
import { TransactionStatusChip } from '../../components/StatusChip.tsx'
import { Syncing } from '../../components/Syncing.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../components/states.tsx'
import { Time } from '../../components/Time.tsx'
import { useTitle } from '../../lib/hooks.ts'
import { defined, pageOf, textOf } from '../../lib/search.ts'
import { categoryLabel, senderOf, type Transaction, transactionsQuery } from '../../queries/transactions.ts'

export const Route = createFileRoute('/dashboard/transactions')({
  validateSearch: (search: Record<string, unknown>) =>
    defined({ page: pageOf(search.page), detail: textOf(search.detail) }),
  component: TransactionsPage,
})

const TransactionDialog = lazy(() => import('./-transactions/TransactionDialog.tsx'))

const refreshMs = 30_000 // 30 seconds

const columns: Column<Transaction>[] = [
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
  { header: 'Amount', align: 'right', cell: (transaction) => <Amount value={transaction.amountUsdc} /> },
  { header: 'Status', cell: (transaction) => <TransactionStatusChip transaction={transaction} /> },
  {
    header: 'Actions',
    bare: true,
    align: 'right',
    cell: (transaction) => (
      <Link
        to="/dashboard/transactions"
        search={(old) => ({ ...old, detail: transaction.id })}
        aria-label={`View details of ${categoryLabel(transaction)}, ${transaction.amountUsdc} USDC`}
        title="View details"
        className="inline-flex size-8 items-center justify-center rounded-control text-muted hover:bg-sunken hover:text-ink pointer-coarse:size-11"
      >
        <Eye aria-hidden="true" className="size-4" />
      </Link>
    ),
  },
]

function TransactionsPage() {
  const { page = 1, detail } = Route.useSearch()
  const navigate = Route.useNavigate()
  const list = useQuery({ ...transactionsQuery(page), refetchInterval: detail ? false : refreshMs })
  useTitle('Transactions')
  return (
    <>
      <PageHeader title="Transactions" aside={<Syncing active={list.isFetching && !list.isPending} />} />
      <Card className="overflow-hidden">
        {list.data ? (
          list.data.rows.length === 0 ? (
            <EmptyState title="No transactions yet">Payments by you and your agents will appear here.</EmptyState>
          ) : (
            <DataTable
              label="Transactions"
              columns={columns}
              rows={list.data.rows}
              keyOf={(transaction) => transaction.id}
              stale={list.isPlaceholderData}
            />
          )
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={() => list.refetch()} />
        ) : (
          <SkeletonRows rows={8} />
        )}
        {list.data && (
          <Pager
            page={list.data.page}
            noun="transactions"
            onPage={(next) => navigate({ search: next > 1 ? { page: next } : {} })}
          />
        )}
      </Card>
      <Suspense>
        {detail && (
          <TransactionDialog
            key={detail}
            transactionId={detail}
            known={list.data?.rows.find((transaction) => transaction.id === detail)}
            onClose={() => navigate({ search: page > 1 ? { page } : {} })}
          />
        )}
      </Suspense>
    </>
  )
}
