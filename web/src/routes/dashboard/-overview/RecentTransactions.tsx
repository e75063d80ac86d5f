import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Amount } from '#web/components/Amount.tsx'
import { Counterparty } from '#web/components/Counterparty.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { TransactionStatusChip } from '#web/components/TransactionStatus.tsx'
import { categoryLabel, payoutState, senderOf, type Transaction, transactionsQuery } from '#web/queries/transactions.ts'
import { reasonOf } from '../-transactions/rows.tsx'
import { WidgetError, WidgetLink } from './WidgetParts.tsx'

const refreshMs = 30_000 // 30 seconds

/** 'Payout · Funds Reclaimed': the kind of transaction, and a payout's state or the reason for a failure. */
const subjectOf = (transaction: Transaction) =>
  [categoryLabel(transaction), payoutState(transaction) ?? reasonOf(transaction)].filter(Boolean).join(' · ')

/** The five newest transactions. */
export function RecentTransactions() {
  const { data, error, refetch } = useQuery({
    ...transactionsQuery({ page: 1, pageSize: 5 }),
    refetchInterval: refreshMs,
  })
  if (!data)
    return error ? (
      <WidgetError error={error} onRetry={() => refetch()} />
    ) : (
      <output aria-label="Loading" className="block space-y-3 py-2">
        {[1, 2, 3, 4, 5].map((i) => (
          <Skeleton key={i} className="h-10" />
        ))}
      </output>
    )
  if (data.rows.length === 0)
    return (
      <div className="m-auto py-4 text-center">
        <p className="font-semibold">No transactions yet</p>
        <p className="text-muted">Payments by you and your agents will appear here.</p>
      </div>
    )
  return (
    <>
      <ul className="mt-1 flex flex-1 flex-col divide-y divide-hairline *:max-h-18 *:flex-1">
        {data.rows.map((transaction) => (
          <li
            key={transaction.id}
            className="grid grid-cols-[minmax(0,1fr)_auto] content-center items-center gap-x-2 py-0.5"
          >
            <Link
              to="/dashboard/transactions"
              search={{ detail: transaction.id }}
              className="truncate rounded-sm font-medium hover:underline"
            >
              <Counterparty transaction={transaction} />
            </Link>
            <Amount value={transaction.amountUsdc} chain={transaction.fromWalletChain} className="text-right" />
            <p className="truncate text-muted text-small">
              <Time iso={transaction.createdAt} /> · {subjectOf(transaction)} · {senderOf(transaction)}
            </p>
            <span className="text-right">
              <TransactionStatusChip transaction={transaction} />
            </span>
          </li>
        ))}
      </ul>
      <WidgetLink to="/dashboard/transactions">View all</WidgetLink>
    </>
  )
}
