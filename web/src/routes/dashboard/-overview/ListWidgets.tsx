import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Amount, Balance } from '#web/components/Amount.tsx'
import { PercentRing } from '#web/components/BudgetRing.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { Time, useNow } from '#web/components/Time.tsx'
import { Counterparty, TransactionAmount, TransactionStatusChip } from '#web/components/TransactionParts.tsx'
import { lastActivityText, plural, shortAddress } from '#web/lib/format.ts'
import { refreshIn } from '#web/lists/useListPage.ts'
import {
  categoryLabel,
  isMoving,
  movementOf,
  senderOf,
  type Transaction,
  transactionsQuery,
} from '#web/queries/transactions.ts'
import { walletName } from '#web/queries/wallets.ts'
import { noteOf } from '../-transactions/rows.tsx'
import { WidgetError, WidgetLink, type WidgetProps } from './WidgetParts.tsx'

const linkClass = 'wrap-anywhere rounded-sm font-medium hover:underline'

/** Rows with a name on the left and a figure on the right. */
const Rows = (props: { children: ReactNode }) => (
  <ul className="flex flex-1 flex-col divide-y divide-hairline *:max-h-18 *:flex-1">{props.children}</ul>
)
function Row(props: { name: ReactNode; note?: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 py-2">
      <div className="min-w-0">
        <p className="min-w-0">{props.name}</p>
        {props.note && <p className="text-muted text-small">{props.note}</p>}
      </div>
      <div className="text-right text-small">{props.children}</div>
    </li>
  )
}
const Nothing = (props: { children: ReactNode }) => (
  <p className="m-auto max-w-sm py-4 text-balance text-center text-muted">{props.children}</p>
)

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

export function TopWallets({ overview }: WidgetProps) {
  if (overview.topWallets.length === 0) return <Nothing>No wallet has paid anything yet.</Nothing>
  return (
    <>
      <Rows>
        {overview.topWallets.map(({ id, name, address, count, spent }) => (
          <Row
            key={id}
            name={
              <Link to="/dashboard/transactions" search={{ wallet: id, figure: 'accepted' }} className={linkClass}>
                {walletName({ name })}
              </Link>
            }
            note={<span className="font-mono">{shortAddress(address)}</span>}
          >
            <Amount value={spent} />
            <span className="block text-muted">{plural(count, 'payment')}</span>
          </Row>
        ))}
      </Rows>
      <WidgetLink to="/dashboard/wallets">View wallets</WidgetLink>
    </>
  )
}

export function AgentsList({ overview }: WidgetProps) {
  const now = useNow()
  if (overview.agentCount === 0) return <Nothing>No agents yet. Create one under Agents.</Nothing>
  return (
    <>
      {overview.activeAgents.length === 0 ? (
        <Nothing>No agent can pay now: all are paused.</Nothing>
      ) : (
        <Rows>
          {overview.activeAgents.map((agent) => (
            <Row
              key={agent.id}
              name={
                <Link to="/dashboard/transactions" search={{ sender: agent.id }} className={linkClass}>
                  {agent.name}
                </Link>
              }
              note={`${agent.policyGroup.name} · Last activity: ${lastActivityText(agent.lastActivity, now)}`}
            >
              <Amount value={agent.totalSpent} />
            </Row>
          ))}
        </Rows>
      )}
      <WidgetLink to="/dashboard/agents">View agents</WidgetLink>
    </>
  )
}

export function Recipients({ overview }: WidgetProps) {
  if (overview.recipients.length === 0)
    return <Nothing>Recipients of payments by you and your agents will appear here.</Nothing>
  return (
    <>
      <Rows>
        {overview.recipients.map(({ contactId, lastPaymentId, name, recipient, count, amount, lastPaidAt }) => (
          <Row
            key={recipient}
            name={
              // Links to a contact's payments, otherwise to the newest payment, since URLs do not name people.
              <Link
                to="/dashboard/transactions"
                search={contactId ? { contact: contactId, figure: 'paid' } : { detail: lastPaymentId }}
                className={linkClass}
              >
                {name ?? (recipient.startsWith('0x') ? shortAddress(recipient) : recipient)}
              </Link>
            }
            note={
              <>
                {plural(count, 'payment')}, <Time iso={lastPaidAt} />
              </>
            }
          >
            <Amount value={amount} />
          </Row>
        ))}
      </Rows>
      <WidgetLink to="/dashboard/transactions">View transactions</WidgetLink>
    </>
  )
}

export function Budgets({ overview }: WidgetProps) {
  if (overview.budgets.length === 0) return <Nothing>No policy group has a budget limit.</Nothing>
  return (
    <>
      <Rows>
        {overview.budgets.map(({ id, name, limit, spent, held, percentUsed }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <PercentRing percent={percentUsed} className="size-10" />
            <div className="min-w-0 flex-1">
              <Link to="/dashboard/agents" search={{ group: id }} className={linkClass}>
                {name}
              </Link>
              <p className="text-muted text-small">
                <Amount value={spent} /> spent{held !== '0' && ', '}
                {held !== '0' && (
                  <>
                    <Amount value={held} /> held
                  </>
                )}{' '}
                of <Amount value={limit} />
              </p>
            </div>
          </li>
        ))}
      </Rows>
      <WidgetLink to="/dashboard/usage">View usage</WidgetLink>
    </>
  )
}

/** 'Held · Payout · Awaiting Claim': where the money went, the kind of transaction, and what else there is to say. */
const subjectOf = (transaction: Transaction) =>
  [movementOf(transaction).word, categoryLabel(transaction), noteOf(transaction)].filter(Boolean).join(' · ')

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
              <Counterparty transaction={transaction} asks={false} />
            </Link>
            <TransactionAmount transaction={transaction} className="text-right" />
            <p className="truncate text-muted text-small">
              <Time iso={transaction.createdAt} /> · {subjectOf(transaction)}
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
