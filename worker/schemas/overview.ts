import type { ChainName } from '#domain/networks.ts'
import type { Agent } from './policy.ts'

/** GET /overview/balance (an addition), after reading the wallets. GET /overview has the same as it was last read. */
export type OverviewBalance = {
  /** Decimal USDC of all active wallets on Base. */
  totalBalance: string
  /** When the oldest balance in it was read (ISO UTC). Null if all were read within the last 30 seconds. */
  balanceAsOf: string | null
}
/** A session key that ends soon or has ended, and the agents that stop with it. */
export type EndingKey = { walletId: string; name: string | null; endsAt: string; agents: string[] }

/** Days of `balanceChanges`, today included. */
export const balanceDays = 30

/** GET /overview (an addition): the data of all overview widgets. Amounts are decimal USDC, on Base only. */
export type Overview = OverviewBalance & {
  walletCount: number
  /** The oldest wallet that can pay now, or null. */
  payingWalletId: string | null
  groupCount: number
  agentCount: number
  /** Agents that are not paused, individually or through their group or account. */
  activeAgentCount: number
  /** Accepted and refused payments; refusals are kept for 30 days. */
  transactionCount: number
  /** Confirmed sends and purchases, and withdrawn payouts. */
  totalSpent: string
  /** By accepted payments, in the wallets. */
  held: string
  /**
   * How the balance of the wallets changed on each of the last `balanceDays` days (UTC), oldest first, by the rows of Transactions.
   * Negative if it fell.
   */
  balanceChanges: string[]
  /** Average payment; null without payments. */
  average: string | null
  confirmed: number
  failed: number
  /** Percentage with one decimal. Null if no payment has ended yet. */
  successRate: number | null
  /** In the last 24 hours. */
  failedToday: number
  pendingPayouts: { count: number; amount: string }
  methods: { method: 'address' | 'contact' | 'email' | 'phone' | 'x402'; count: number; amount: string }[]
  topWallets: { id: string; name: string | null; address: string; count: number; spent: string }[]
  /** The three active agents (as counted above) that paid most recently. */
  activeAgents: Agent[]
  /** The five most recently paid recipients, with the newest payment to each. */
  recipients: {
    lastPaymentId: string
    contactId: string | null
    name: string | null
    recipient: string
    count: number
    amount: string
    lastPaidAt: string
  }[]
  endingKeys: EndingKey[]
  /** At most five budgets, most used first. */
  budgets: {
    id: string
    name: string
    chain: ChainName
    limit: string
    spent: string
    held: string
    percentUsed: number
  }[]
}

type FromHistory =
  | ('transactionCount' | 'totalSpent' | 'held' | 'average' | 'confirmed' | 'failed' | 'successRate' | 'failedToday')
  | 'balanceChanges'
  | ('pendingPayouts' | 'methods' | 'topWallets' | 'recipients')

/** What the Treasury has of the overview. `wallets`: those on the primary network, oldest first. */
export type AccountFigures = Omit<Overview, FromHistory | 'walletCount'> & {
  wallets: { id: string; name: string | null; address: string }[]
}
