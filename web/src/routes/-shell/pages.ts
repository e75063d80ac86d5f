import {
  ArrowLeftRight,
  BadgeCheck,
  Bot,
  ChartPie,
  HandCoins,
  History,
  LayoutGrid,
  type LucideIcon,
  Settings,
  Users,
  Wallet,
  Webhook,
} from 'lucide-react'

/** The path of a page in `pages` of OtherPage.tsx, which the router's types do not include. */
export const other = (page: string) => `/dashboard/${page}` as '/dashboard/settings'

/**
 * The dashboard's pages, as listed in the menu and the command palette. A new page needs an entry here, a route
 * `routes/dashboard/<page>.tsx` or a line in `pages` of OtherPage.tsx, and a folder `routes/dashboard/-<page>` for its own files.
 */
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
    ],
  },
  {
    name: 'Settings',
    entries: [
      { to: other('webhooks'), label: 'Webhooks', icon: Webhook },
      { to: other('changes'), label: 'Changes', icon: History },
      { to: '/dashboard/settings', label: 'Account Settings', icon: Settings },
    ],
  },
] as const satisfies { name: string; entries: { to: string; label: string; icon: LucideIcon }[] }[]
