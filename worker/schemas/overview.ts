import type { Agent } from './policy.ts'

/** GET /overview (an addition): everything the first screen's widgets show. Amounts are decimal USDC, on Base only. */
export type Overview = {
  /** Null when one wallet's balance can't be read. */
  totalBalance: string | null
  walletCount: number
  /** The oldest wallet that can pay now. */
  payingWalletId: string | null
  groupCount: number
  agentCount: number
  /** Paused neither themselves nor by their group, nor all agents at once. */
  activeAgentCount: number
  contactCount: number
  transactionCount: number
  /** Confirmed sends and withdrawn payouts. */
  totalSpent: string
  held: string
  /** Of what was spent; null without payments. */
  average: string | null
  confirmed: number
  failed: number
  /** Per cent with one decimal; null when nothing has ended yet. */
  successRate: number | null
  /** In the last 24 hours. */
  failedToday: number
  pendingPayouts: { count: number; amount: string }
  /** Seven UTC days, oldest first, today last. */
  days: { day: string; count: number; amount: string }[]
  methods: { method: 'address' | 'contact' | 'email' | 'phone'; count: number; amount: string }[]
  topWallets: { id: string; name: string | null; address: string; count: number; spent: string }[]
  recentAgents: Agent[]
  recipients: {
    contactId: string | null
    name: string | null
    recipient: string
    count: number
    amount: string
    lastPaidAt: string
  }[]
  /** At most five, the fullest first. */
  budgets: { id: string; name: string; limit: string; spent: string; held: string; percentUsed: number }[]
}
