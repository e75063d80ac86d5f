import { z } from 'zod'
import type { Answer } from '#domain/answers.ts'
import type { ChainName } from '#domain/networks.ts'
import { maxPaidTo, type Period, periods } from '#domain/periods.ts'

/** Answers about a week or a month, in UTC, beside the one before. Amounts are decimal USDC. */

const period = z.enum(periods).default('month')

export const PaidToQuery = z.object({
  period,
  by: z.enum(['recipient', 'seller']).default('recipient'),
  limit: z.coerce.number().int().min(1).max(maxPaidTo).default(10),
})
export type PaidToParams = { period?: Period; by?: 'recipient' | 'seller'; limit?: number }
export const PeriodQuery = z.object({ period })
export type PeriodParams = { period?: Period }

/** Of a filter of transactions: '2026-11-01..2026-11-30'. */
type Days = { days: string; daysBefore: string }

/** GET /usage/recipients (an addition): who got what was spent from wallets on Base, most first. */
export type PaidTo = Days & {
  spent: string
  earlier: string
  rows: PaidSum[]
  /** What was paid to those who are not in `rows`. */
  others: { count: number; spent: string; earlier: string }
}
export type PaidSum = {
  /** Identifies the recipient in a filter, because URLs do not name people. */
  lastPaymentId: string
  /** A seller's host, with its port. */
  seller: string | null
  contactId: string | null
  name: string | null
  /** Address, email or phone. */
  recipient: string
  spent: string
  earlier: string
}

/** Requests that ended alike. `rules` refused them, or asked for an approval. */
export type RuleSum = {
  answer: Answer
  chain: ChainName
  rules: string[]
  count: number
  amount: string
  /** The limit with which the rule would have let each of them pass by itself. Null if it has none. */
  limitToPass: string | null
  /** What the owner was told to do about the newest refusal. */
  next: string | null
}

/** GET /usage/agents/{id} (an addition): what an agent asked for, and what became of it. Refusals are kept for 30 days. */
export type AgentRequests = Days & {
  agent: { id: string; name: string; isDeleted: boolean }
  sums: RuleSum[]
  earlier: Pick<RuleSum, 'answer' | 'chain' | 'count' | 'amount'>[]
}

/** GET /usage/refusals (an addition): what rules refused, by agent and rule, most often first. Refusals are kept for 30 days. */
export type Refusals = Days & {
  rows: (RuleSum & { agentId: string; agentName: string })[]
  /** The number of refusals that are not in `rows`. */
  others: number
}
