import type { LinkProps } from '@tanstack/react-router'
import {
  ArrowLeftRight,
  BadgeCheck,
  Bot,
  ChartPie,
  HandCoins,
  History,
  LayoutGrid,
  List,
  type LucideIcon,
  Settings,
  UserRoundCog,
  Users,
  Wallet,
  Webhook,
} from 'lucide-react'
import type { Call } from '#domain/roles.ts'

/** The path of a page in `pages` of OtherPage.tsx, which the router's types do not include. */
export const other = (page: string) => `/dashboard/${page}` as '/dashboard/settings'

/**
 * The dashboard's pages, as listed in the menu and the command palette. A new page needs an entry here, a route
 * `routes/dashboard/<page>.tsx` or a line in `pages` of OtherPage.tsx, and a folder `routes/dashboard/-<page>` for its own files.
 * Pages with a `call` are for those who may make it.
 */
type Entry = { to: NonNullable<LinkProps['to']>; label: string; icon: LucideIcon; call?: Call }

export const pageGroups = [
  {
    name: 'Main',
    entries: [
      { to: '/dashboard/overview', label: 'Overview', icon: LayoutGrid },
      { to: '/dashboard/wallets', label: 'Wallets', icon: Wallet },
      { to: '/dashboard/agents', label: 'Agents', icon: Bot },
      { to: '/dashboard/contacts', label: 'Contacts', icon: Users },
      { to: '/dashboard/usage', label: 'Usage', icon: ChartPie },
    ],
  },
  {
    name: 'Payments',
    entries: [
      { to: '/dashboard/approvals', label: 'Approvals', icon: BadgeCheck },
      { to: '/dashboard/transactions', label: 'Transactions', icon: ArrowLeftRight },
      { to: '/dashboard/payouts', label: 'Payouts', icon: HandCoins },
      { to: other('runs'), label: 'Runs', icon: List },
    ],
  },
  {
    name: 'Settings',
    entries: [
      { to: other('people'), label: 'People', icon: UserRoundCog },
      { to: other('webhooks'), label: 'Webhooks', icon: Webhook, call: 'webhooks.list' },
      { to: other('changes'), label: 'History of changes', icon: History },
      { to: '/dashboard/settings', label: 'Account Settings', icon: Settings },
    ],
  },
] as const satisfies { name: string; entries: Entry[] }[]

/** The pages of a person who may make these calls. */
export const pagesFor = (isAllowed: (call: Call) => boolean): { name: string; entries: Entry[] }[] =>
  pageGroups.map(({ name, entries }) => ({
    name,
    entries: entries.filter(({ call }: Entry) => call === undefined || isAllowed(call)),
  }))
