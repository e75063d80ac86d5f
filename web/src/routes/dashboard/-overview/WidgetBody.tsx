import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { WidgetType } from '#domain/widgets.ts'
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
import { refreshMs, WidgetError, WidgetLoading, type WidgetProps } from './WidgetParts.tsx'

type OwnData = 'recent-transactions' | 'recent-activity' | 'total-contacts'

const bodies: Record<Exclude<WidgetType, OwnData>, ComponentType<WidgetProps>> = {
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
  'total-wallets': Wallets,
  'pending-escrows': PendingPayouts,
  'transaction-breakdown': Methods,
  'failed-transactions': Failed,
  'contact-activity': Recipients,
  'policy-budget': Budgets,
}

/** The content of a widget. All widgets except the recent transactions, the daily chart and the contacts share one call. */
export function WidgetBody(props: { type: WidgetType }) {
  const overview = useQuery({ ...overviewQuery, refetchInterval: refreshMs })
  if (props.type === 'recent-transactions') return <RecentTransactions />
  if (props.type === 'recent-activity') return <Transfers />
  if (props.type === 'total-contacts') return <Contacts />
  if (!overview.data)
    return overview.error ? (
      <WidgetError error={overview.error} onRetry={() => overview.refetch()} />
    ) : (
      <WidgetLoading />
    )
  const Body = bodies[props.type]
  return <Body overview={overview.data} />
}
