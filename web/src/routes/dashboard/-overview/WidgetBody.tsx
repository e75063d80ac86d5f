import { useQuery } from '@tanstack/react-query'
import { type ComponentType, lazy, Suspense } from 'react'
import type { WidgetType } from '#domain/widgets.ts'
import { overviewQuery } from '#web/queries/overview.ts'
import { QuickStats, RecentTransactions } from './FirstWidgets.tsx'
import {
  ActiveAgents,
  AverageTransaction,
  Contacts,
  Failed,
  PendingPayouts,
  PolicyGroups,
  SuccessRate,
  TotalBalance,
  Transactions,
  Wallets,
} from './StatWidgets.tsx'
import { refreshMs, WidgetError, WidgetLoading, type WidgetProps } from './WidgetParts.tsx'

// Widgets that a new dashboard does not have.
const Methods = lazy(async () => ({ default: (await import('./ChartWidgets.tsx')).Methods }))
const Spent = lazy(async () => ({ default: (await import('./ChartWidgets.tsx')).TotalSpent }))
const Transfers = lazy(async () => ({ default: (await import('./ChartWidgets.tsx')).Transfers }))
type Lists = typeof import('./ListWidgets.tsx')
const list = (name: keyof Lists) => lazy(async () => ({ default: (await import('./ListWidgets.tsx'))[name] }))

type OwnData = 'recent-transactions' | 'recent-activity' | 'total-contacts'

const bodies: Record<Exclude<WidgetType, OwnData>, ComponentType<WidgetProps>> = {
  'total-balance': TotalBalance,
  'active-agents': ActiveAgents,
  'transactions-count': Transactions,
  'policy-groups': PolicyGroups,
  'quick-stats': QuickStats,
  'top-wallets': list('TopWallets'),
  'active-agents-list': list('AgentsList'),
  'success-rate': SuccessRate,
  'total-spent': Spent,
  'avg-transaction': AverageTransaction,
  'total-wallets': Wallets,
  'pending-escrows': PendingPayouts,
  'transaction-breakdown': Methods,
  'failed-transactions': Failed,
  'contact-activity': list('Recipients'),
  'policy-budget': list('Budgets'),
}

/** While payments are on their way. */
const movingMs = 2_000 // 2 seconds

/** The content of a widget. All widgets except the recent transactions, the daily chart and the contacts share one call. */
export const WidgetBody = (props: { type: WidgetType }) => (
  <Suspense fallback={<WidgetLoading />}>
    <Content type={props.type} />
  </Suspense>
)

function Content(props: { type: WidgetType }) {
  const overview = useQuery({
    ...overviewQuery,
    refetchInterval: ({ state }) => (state.data && state.data.held !== '0' ? movingMs : refreshMs),
  })
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
