import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Overview } from '../../../../../worker/schemas/transaction.ts'
import { Card } from '../../../components/Card.tsx'
import { Skeleton } from '../../../components/states.tsx'
import { formatAmount } from '../../../lib/format.ts'

/** The sums beside the balance, each leading to its page. */
export function Figures(props: { overview: Overview | undefined }) {
  const { overview } = props
  const pending = overview?.pendingPayouts
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
      <Figure
        name="Total spent"
        to="/dashboard/transactions"
        value={overview && `$${formatAmount(overview.totalSpent)}`}
      />
      <Figure
        name="Pending payouts"
        to="/dashboard/payouts"
        value={pending && String(pending.count)}
        note={pending && pending.count > 0 && `$${formatAmount(pending.amount)}`}
      />
      <Figure
        name="Active agents"
        to="/dashboard/agents"
        value={overview && String(overview.agentCount)}
        note={overview && `${overview.groupCount} policy ${overview.groupCount === 1 ? 'group' : 'groups'}`}
      />
      <Figure
        name="Transactions"
        to="/dashboard/transactions"
        value={overview?.transactionCount.toLocaleString('en-US')}
      />
    </div>
  )
}

function Figure(props: {
  name: string
  to: '/dashboard/transactions' | '/dashboard/payouts' | '/dashboard/agents'
  value: string | undefined
  note?: ReactNode
}) {
  return (
    <Card className="relative p-4 hover:border-control">
      <h2 className="text-muted text-small">
        <Link to={props.to} className="rounded-card outline-offset-0 after:absolute after:inset-0">
          {props.name}
        </Link>
      </h2>
      {props.value === undefined ? (
        <Skeleton className="mt-1 h-6 w-16" />
      ) : (
        <p className="truncate font-semibold text-title" title={props.value}>
          {props.value}
        </p>
      )}
      <p className="min-h-5 text-muted text-small">{props.note}</p>
    </Card>
  )
}
