import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Amount, Balance } from '#web/components/Amount.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { Counterparty, TransactionAmount, TransactionStatusChip } from '#web/components/TransactionParts.tsx'
import { refreshIn } from '#web/lists/refreshIn.ts'
import {
  categoryLabel,
  hasOneSender,
  isMoving,
  movementOf,
  noteOf,
  senderOf,
  type Transaction,
  transactionsQuery,
} from '#web/queries/transactions.ts'
import { WidgetError, WidgetLink, type WidgetProps } from './WidgetParts.tsx'

import { Row, Rows } from './WidgetRows.tsx'

/** Figures in a list. */
export function QuickStats({ overview }: WidgetProps) {
  return (
    <>
      <Rows>
        <Row name="Total spent">
          <Amount value={overview.totalSpent} />
        </Row>
        <Row name="Held for payments">
          <Amount value={overview.held} />
        </Row>
        <Row name="Unclaimed payouts">
          <Amount value={overview.pendingPayouts.amount} />
        </Row>
        <Row name="Success rate">{overview.successRate === null ? 'N/A' : `${overview.successRate}%`}</Row>
        <Row name="Average transaction">{overview.average === null ? 'N/A' : <Balance value={overview.average} />}</Row>
        <Row name="Failed in the last 24 hours">{overview.failedToday}</Row>
      </Rows>
      <WidgetLink to="/dashboard/usage">View usage</WidgetLink>
    </>
  )
}

/** 'Held · Payout · Awaiting Claim': where the money went, the kind of transaction, and what else there is to say. */
const subjectOf = (transaction: Transaction) =>
  [movementOf(transaction).word, categoryLabel(transaction), noteOf(transaction)].filter(Boolean).join(' · ')

/** Loads the names of all rules, which only refused payments need. */
const RuleName = lazy(() => import('../-agents/RuleName.tsx'))

/** The five newest transactions. */
export function RecentTransactions() {
  const { data, error, refetch } = useQuery({
    ...transactionsQuery({ page: 1, pageSize: 5 }),
    refetchInterval: ({ state }) => refreshIn(state.data?.rows, isMoving),
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
              {hasOneSender(transaction) && 'From '}
              <Counterparty transaction={transaction} />
            </Link>
            <TransactionAmount transaction={transaction} className="text-right" />
            <p className="truncate text-muted text-small">
              <Time iso={transaction.createdAt} /> · {subjectOf(transaction)}
              {transaction.refusal && (
                <Suspense>
                  {' · '}
                  <RuleName rule={transaction.refusal.rule} />
                </Suspense>
              )}
              {transaction.category !== 'deposit' && ` · ${senderOf(transaction)}`}
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
