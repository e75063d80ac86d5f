import { z } from 'zod'
import type { ChainName } from '#domain/networks.ts'
import { type Span, spans } from '#domain/statistics.ts'
import { rowCursor } from './common.ts'

/**
 * Spending of one UTC month against the limits of the session keys that are valid now. `remaining` is limit − currentSpent, at least
 * zero, and `percentUsed` is currentSpent of limit. All three are null without a smart wallet: imported wallets have no limit.
 */
export type MonthBudget = {
  currentSpent: string
  limit: string | null
  percentUsed: number | null
  remaining: string | null
}

/** What session keys can still pay, whenever they began: `used`, with what is held, and `remaining` add up to `limit`. */
export type KeyBudget = {
  limit: string
  used: string
  remaining: string
  percentUsed: number
  /** ISO 8601: when the first of them ends. Null if none is valid. */
  endsAt: string | null
}

/** GET /usage/dashboard. Amounts are decimal USDC; percentages are whole numbers, rounded down. */
export type Usage = {
  /** Confirmed sends and purchases and withdrawn payouts of all wallets on Base in this UTC month. */
  globalBudget: MonthBudget & {
    /** 'YYYY-MM' */
    currentPeriod: string
    /** ISO 8601. The end is exclusive: the start of the next month. */
    periodStart: string
    periodEnd: string
    /** An addition: the same of the month before. */
    previous: { period: string; periodStart: string; spent: string }
  }
  /** An addition. Null without a smart wallet. */
  sessionKeys: KeyBudget | null
  /** Today's gas units (UTC) that this service pays for: the account's limit, used including reserved, and remaining. */
  gasAllowance: {
    limit: number
    used: number
    remaining: number
    resetsAt: string /** Number of further sends that it is enough for. */
    payments: number
  }
  wallets: {
    id: string
    name: string | null
    address: string
    chain: ChainName
    sessionKeyBudget: MonthBudget
    /** An addition. Null for an imported wallet. */
    sessionKey: KeyBudget | null
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
        /** ISO 8601: when the rest is used up at the rate of the last 30 days. Null if that cannot be estimated. */
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

const days = z.coerce.number().pipe(z.literal(spans)).default(30)

export const SpendingQuery = z.object({
  days,
  by: z.enum(['agent', 'group']).default('agent'),
  /** A wallet's id. If absent, all wallets on Base together. */
  wallet: z.string().max(64).optional(),
})

export type SpendingParams = { days?: Span; by?: 'agent' | 'group'; wallet?: string | undefined }

/** GET /usage/spending (an addition): spending per UTC day. Amounts are decimal USDC. */
export type Spending = {
  /** 'YYYY-MM-DD', oldest first, today last. */
  days: string[]
  /** Spent on each of as many days before these. */
  previous: string[]
  /** Most spent first. Series after the sixth are combined into one of kind 'others'. */
  series: SpendingSeries[]
}
export type SpendingSeries = {
  /** 'user': paid by the user, not by an agent. */
  kind: 'agent' | 'group' | 'user' | 'others'
  id: string | null
  name: string
  /** The agent's or group's place by age in the account, deleted ones included, which never changes. Null for other kinds. */
  order: number | null
  total: string
  /** Number of payments. */
  count: number
  /** One amount per day, in the order of `days`. */
  amounts: string[]
}

export const BudgetHistoryQuery = z.object({
  days,
  /** `next` of the previous page. */
  before: rowCursor.optional(),
})

export type BudgetHistoryParams = { days?: Span; before?: string | undefined }

/** GET /policy-groups/{id}/budget-history (an addition). Amounts are decimal USDC; a limit is null if there is none. */
export type BudgetHistory = {
  /** State at the end of each UTC day since the group was created, oldest first, today last. */
  days: { day: string; limit: string | null; spent: string }[]
  /** Changes of the limit, newest first. A page may have few or none and still be followed by more. */
  changes: BudgetChange[]
  next?: string
}
export type BudgetChange = {
  id: string
  at: string
  kind: 'created' | 'topped_up' | 'changed'
  /** Amount that a top-up added. */
  amount: string | null
  limit: string | null
}
