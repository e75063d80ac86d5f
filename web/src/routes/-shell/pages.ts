import {
  ArrowLeftRight,
  BadgeCheck,
  Bot,
  ChartPie,
  HandCoins,
  LayoutGrid,
  type LucideIcon,
  Settings,
  Users,
  Wallet,
  Webhook,
} from 'lucide-react'

/** A page of OtherPage.tsx, which the router's types do not know. */
export const other = (page: string) => `/dashboard/${page}` as '/dashboard/settings'

/**
 * The pages of the signed-in area, as the menu and the command palette list them. A new page is an entry here, a route
 * `routes/dashboard/<page>.tsx` or a line of `OtherPage.tsx`, and a folder `routes/dashboard/-<page>` for what
 * only this page needs.
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
      { to: '/dashboard/settings', label: 'Account Settings', icon: Settings },
    ],
  },
] as const satisfies { name: string; entries: { to: string; label: string; icon: LucideIcon }[] }[]
