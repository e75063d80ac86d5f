import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import type { FigureName } from '#domain/figures.ts'
import { Amount, Balance } from '#web/components/Amount.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { RowTime, useRowTimes } from '#web/components/Time.tsx'
import { Counterparty, TransactionAmount, TransactionStatusChip } from '#web/components/TransactionParts.tsx'
import { useRowMotion } from '#web/components/useRowMotion.ts'
import { optional } from '#web/lib/optional.ts'
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

const StatLink = (props: { figure: FigureName; children: ReactNode }) => (
  <PaymentsLink search={{ figure: props.figure }} className="hover:underline">
    {props.children}
  </PaymentsLink>
)

/** Figures in a list. */
export function QuickStats({ overview }: WidgetProps) {
  return (
    <>
      <Rows>
        <Row name={<StatLink figure="completed">Total spent</StatLink>}>
          <Amount value={overview.totalSpent} />
        </Row>
        <Row name={<StatLink figure="in_flight">Held for payments</StatLink>}>
          <Amount value={overview.held} />
        </Row>
        <Row name={<StatLink figure="unclaimed">Unclaimed payouts</StatLink>}>
          <Amount value={overview.pendingPayouts.amount} />
        </Row>
        <Row name={<StatLink figure="ended">Success rate</StatLink>}>
          {overview.successRate === null ? 'N/A' : `${overview.successRate}%`}
        </Row>
        <Row name={<StatLink figure="completed">Average transaction</StatLink>}>
          {overview.average === null ? 'N/A' : <Balance value={overview.average} />}
        </Row>
        <Row name={<StatLink figure="failed_24h">Failed in the last 24 hours</StatLink>}>{overview.failedToday}</Row>
      </Rows>
      <WidgetLink to="/dashboard/usage">View usage</WidgetLink>
    </>
  )
}

/** 'Held · Contact': where the money went, the kind of transaction, and what else there is to say, unless the chip says it. */
const subjectOf = (transaction: Transaction) =>
  [movementOf(transaction).word, categoryLabel(transaction), noteOf(transaction)]
    .filter((part) => part !== null && part !== 'Awaiting Claim')
    .join(' · ')

/** Loads the names of all rules, which only refused payments need. */
const RuleName = optional(() => import('../-agents/RuleName.tsx'))

/** The five newest transactions. */
export function RecentTransactions() {
  const { data, error, refetch } = useQuery({
    ...transactionsQuery({ page: 1, pageSize: 5 }),
    refetchInterval: ({ state }) => refreshIn(state.data?.rows, isMoving),
  })
  const list = useRowMotion<HTMLUListElement>(data?.rows)
  const { rowTimes, rowTime } = useRowTimes()
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
      <ul ref={list} {...rowTimes} className="mt-1 flex flex-1 flex-col divide-y divide-hairline *:max-h-18 *:flex-1">
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
              {hasOneSender(transaction) && <span>From </span>}
              <Counterparty transaction={transaction} />
            </Link>
            <TransactionAmount transaction={transaction} className="text-right" />
            <p className="truncate text-muted text-small">
              <RowTime iso={transaction.createdAt} /> · {subjectOf(transaction)}
              {transaction.refusal && (
                <Suspense>
                  {' · '}
                  <RuleName rule={transaction.refusal.rule} />
                </Suspense>
              )}
              {transaction.category !== 'deposit' && <span> · {senderOf(transaction)}</span>}
            </p>
            <span className="text-right">
              <TransactionStatusChip transaction={transaction} />
            </span>
          </li>
        ))}
      </ul>
      {rowTime}
      <WidgetLink to="/dashboard/transactions">View all</WidgetLink>
    </>
  )
}
