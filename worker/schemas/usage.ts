import type { ChainName } from '#domain/networks.ts'

/** GET /usage/dashboard. Amounts are decimal USDC; percentages are whole numbers, rounded down. */
export type Usage = {
  globalBudget: {
    /** This UTC month: confirmed sends and withdrawn payouts of all wallets on Base. */
    currentSpent: string
    /** Sum of the active session keys' limits. Null without a smart wallet; imported wallets have no limit. */
    limit: string | null
    percentUsed: number | null
    remaining: string | null
    /** 'YYYY-MM' */
    currentPeriod: string
    /** ISO 8601. The end is exclusive: the start of the next month. */
    periodStart: string
    periodEnd: string
  }
  /** Gas units that this service pays today (UTC): for the account in all, used and reserved, and left. */
  gasAllowance: {
    limit: number
    used: number
    remaining: number
    resetsAt: string /** More sends that it suffices for. */
    payments: number
  }
  wallets: {
    id: string
    name: string | null
    address: string
    chain: ChainName
    sessionKeyBudget: { currentSpent: string; limit: string | null; percentUsed: number | null }
    policyGroups: {
      id: string
      name: string
      budget: {
        hasLimit: boolean
        limit: string | null
        currentSpent: string
        held: string
        remaining: string | null
        percentUsed: number | null
        /** ISO 8601: when the rest is used up at the pace of the last 30 days. Null if that cannot be estimated. */
        lastsUntil: string | null
      }
      agents: {
        id: string
        name: string
        status: 'active' | 'paused'
        transactionCount: number
        totalSpent: string
      }[]
    }[]
  }[]
}
