import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Amount } from '../../../components/Amount.tsx'
import { Card } from '../../../components/Card.tsx'
import { Counterparty } from '../../../components/Counterparty.tsx'
import { TransactionStatusChip } from '../../../components/StatusChip.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../../components/states.tsx'
import { Time } from '../../../components/Time.tsx'
import { categoryLabel, senderOf, transactionsQuery } from '../../../queries/transactions.ts'

const refreshMs = 30_000 // 30 seconds

/** The five newest payments. */
export function LatestPayments() {
  const { data, error, refetch } = useQuery({ ...transactionsQuery(1, 5), refetchInterval: refreshMs })
  return (
    <Card aria-labelledby="latest-payments">
      <div className="flex items-center justify-between gap-4 border-hairline border-b px-5 py-3">
        <h2 id="latest-payments" className="font-semibold">
          Recent transactions
        </h2>
        <Link to="/dashboard/transactions" className="rounded-sm text-green text-small underline underline-offset-3">
          View all
        </Link>
      </div>
      {data ? (
        data.rows.length === 0 ? (
          <EmptyState title="No transactions yet">Payments by you and your agents will appear here.</EmptyState>
        ) : (
          <ul className="divide-y divide-hairline">
            {data.rows.map((transaction) => (
              <li key={transaction.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3">
                <div className="min-w-0 flex-1 basis-44">
                  <Link
                    to="/dashboard/transactions"
                    search={{ detail: transaction.id }}
                    className="block truncate rounded-sm font-medium hover:underline"
                  >
                    <Counterparty transaction={transaction} />
                  </Link>
                  <p className="text-muted text-small">
                    {categoryLabel(transaction)} by {senderOf(transaction)}, <Time iso={transaction.createdAt} />
                  </p>
                </div>
                <div className="flex items-center gap-3 max-sm:w-full max-sm:flex-row-reverse max-sm:justify-between">
                  <span className="sm:w-28">
                    <TransactionStatusChip transaction={transaction} />
                  </span>
                  <Amount value={transaction.amountUsdc} className="text-right sm:min-w-36" />
                </div>
              </li>
            ))}
          </ul>
        )
      ) : error ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : (
        <SkeletonRows rows={5} className="h-10" />
      )}
    </Card>
  )
}
