import {
  ArrowLeftRight,
  Bot,
  ChartBar,
  ChartPie,
  CircleX,
  Coins,
  Gauge,
  HandCoins,
  History,
  LayoutGrid,
  List,
  type LucideIcon,
  Percent,
  Receipt,
  ShieldCheck,
  Users,
  Wallet,
  WalletCards,
} from 'lucide-react'
import type { WidgetType } from '#domain/widgets.ts'

export const categories = ['stats', 'data', 'charts'] as const
export type Category = (typeof categories)[number]
export type Size = { w: number; h: number }
export type WidgetDefinition = {
  name: string
  description: string
  icon: LucideIcon
  category: Category
  defaultSize: Size
  minSize: Size
}

/** Sizes of stat cards, lists and charts, as specified. */
const sizes = {
  stats: { defaultSize: { w: 3, h: 2 }, minSize: { w: 2, h: 2 } },
  data: { defaultSize: { w: 6, h: 4 }, minSize: { w: 4, h: 3 } },
  charts: { defaultSize: { w: 4, h: 3 }, minSize: { w: 3, h: 3 } },
} satisfies Record<Category, { defaultSize: Size; minSize: Size }>

const widget = (category: Category, name: string, icon: LucideIcon, description: string): WidgetDefinition => ({
  name,
  description,
  icon,
  category,
  ...sizes[category],
})

export const widgets: Record<WidgetType, WidgetDefinition> = {
  'total-balance': widget('stats', 'Total Balance', Coins, 'USDC in all your wallets on Base'),
  'active-agents': widget('stats', 'Active Agents', Bot, 'Agents that can pay now'),
  'transactions-count': widget('stats', 'Transactions', ArrowLeftRight, 'All payments by you and your agents'),
  'policy-groups': widget('stats', 'Policy Groups', ShieldCheck, 'Groups that set your agents’ limits'),
  'recent-transactions': widget('data', 'Recent Transactions', History, 'The five newest payments'),
  'quick-stats': widget('data', 'Quick Stats', Gauge, 'Key figures in one list'),
  'top-wallets': widget('data', 'Top Wallets', WalletCards, 'The three wallets that pay most often'),
  'active-agents-list': widget('data', 'Active Agents List', List, 'The three active agents that paid last'),
  'success-rate': widget('stats', 'Success Rate', Percent, 'Share of finished payments that completed'),
  'total-spent': widget('stats', 'Total Spent', Receipt, 'Confirmed payments, without reclaimed payouts'),
  'avg-transaction': widget('stats', 'Average Transaction', ChartBar, 'Average amount of a completed payment'),
  'total-contacts': widget('stats', 'Contacts', Users, 'Contacts in your address book'),
  'total-wallets': widget('stats', 'Wallets', Wallet, 'Your wallets on Base'),
  'pending-escrows': widget('stats', 'Pending Payouts', HandCoins, 'Payouts not claimed yet'),
  'transaction-breakdown': widget('charts', 'Transaction Methods', ChartPie, 'How recipients were paid'),
  'recent-activity': widget('charts', '7-Day Transfers', ChartBar, 'What was spent on each of the last seven days'),
  'failed-transactions': widget('stats', 'Failed Transactions', CircleX, 'Failed or refused in the last 24 hours'),
  'contact-activity': widget('data', 'Recipient Activity', Users, 'Most recently paid recipients'),
  'policy-budget': widget('data', 'Policy Budgets', LayoutGrid, 'The budgets closest to their limit'),
}
