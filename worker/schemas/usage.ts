/** GET /usage/dashboard. Amounts are decimal USDC; percentages whole numbers, cut. */
export type Usage = {
  globalBudget: {
    /** This UTC month: confirmed sends and withdrawn payouts of all wallets on Base. */
    currentSpent: string
    /** Sum of the active session keys' limits; null without a smart wallet. Imported wallets have no limit. */
    limit: string | null
    percentUsed: number | null
    remaining: string | null
    /** 'YYYY-MM' */
    currentPeriod: string
    /** ISO 8601; the end is the first moment of the next month. */
    periodStart: string
    periodEnd: string
  }
  wallets: {
    id: string
    name: string | null
    address: string
    chain: 'base' | 'base-sepolia'
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
        /** ISO 8601: when the rest is used up at the pace of the last 30 days; null when nothing can be said. */
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
