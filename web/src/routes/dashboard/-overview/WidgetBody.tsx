import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { WidgetType } from '#domain/widgets.ts'
import { Skeleton } from '#web/components/states.tsx'
import { overviewQuery } from '#web/queries/overview.ts'
import { Methods, Transfers } from './ChartWidgets.tsx'
import { AgentsList, Budgets, QuickStats, RecentTransactions, Recipients, TopWallets } from './ListWidgets.tsx'
import {
  ActiveAgents,
  AverageTransaction,
  Contacts,
  Failed,
  PendingPayouts,
  PolicyGroups,
  SuccessRate,
  TotalBalance,
  TotalSpent,
  Transactions,
  Wallets,
} from './StatWidgets.tsx'
import { WidgetError, type WidgetProps } from './WidgetParts.tsx'

const bodies: Record<Exclude<WidgetType, 'recent-transactions' | 'recent-activity'>, ComponentType<WidgetProps>> = {
  'total-balance': TotalBalance,
  'active-agents': ActiveAgents,
  'transactions-count': Transactions,
  'policy-groups': PolicyGroups,
  'quick-stats': QuickStats,
  'top-wallets': TopWallets,
  'active-agents-list': AgentsList,
  'success-rate': SuccessRate,
  'total-spent': TotalSpent,
  'avg-transaction': AverageTransaction,
  'total-contacts': Contacts,
  'total-wallets': Wallets,
  'pending-escrows': PendingPayouts,
  'transaction-breakdown': Methods,
  'failed-transactions': Failed,
  'contact-activity': Recipients,
  'policy-budget': Budgets,
}

const refreshMs = 30_000 // 30 seconds
/** While payments are on their way. */
const movingMs = 2_000 // 2 seconds

/** The content of a widget. All widgets except the recent transactions and the daily chart share one call. */
export function WidgetBody(props: { type: WidgetType }) {
  const overview = useQuery({
    ...overviewQuery,
    refetchInterval: ({ state }) => (state.data && state.data.held !== '0' ? movingMs : refreshMs),
  })
  if (props.type === 'recent-transactions') return <RecentTransactions />
  if (props.type === 'recent-activity') return <Transfers />
  if (!overview.data)
    return overview.error ? (
      <WidgetError error={overview.error} onRetry={() => overview.refetch()} />
    ) : (
      <output aria-label="Loading" className="block py-1">
        <Skeleton className="h-9 w-2/3" />
      </output>
    )
  const Body = bodies[props.type]
  return <Body overview={overview.data} />
}
