import type { Agent } from './policy.ts'

/** GET /overview (an addition): everything that the overview's widgets show. Amounts are decimal USDC, on Base only. */
export type Overview = {
  /** Null if a wallet's balance cannot be read. */
  totalBalance: string | null
  walletCount: number
  /** The oldest wallet that can pay now, or null. */
  payingWalletId: string | null
  groupCount: number
  agentCount: number
  /** Not paused, nor is their group or the account. */
  activeAgentCount: number
  contactCount: number
  transactionCount: number
  /** Confirmed sends and withdrawn payouts. */
  totalSpent: string
  held: string
  /** Average payment. Null without payments. */
  average: string | null
  confirmed: number
  failed: number
  /** Per cent with one decimal. Null if no payment has ended yet. */
  successRate: number | null
  /** In the last 24 hours. */
  failedToday: number
  pendingPayouts: { count: number; amount: string }
  methods: { method: 'address' | 'contact' | 'email' | 'phone'; count: number; amount: string }[]
  topWallets: { id: string; name: string | null; address: string; count: number; spent: string }[]
  /** Those that can pay, as counted above: the three that paid last. */
  activeAgents: Agent[]
  /** The five paid last, with the newest payment to each. */
  recipients: {
    lastPaymentId: string
    contactId: string | null
    name: string | null
    recipient: string
    count: number
    amount: string
    lastPaidAt: string
  }[]
  /** At most five, the most used first. */
  budgets: { id: string; name: string; limit: string; spent: string; held: string; percentUsed: number }[]
}
