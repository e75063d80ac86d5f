import { microUsdc } from './money.ts'

/** A rotation's bounds: the contract's own caps for a grant (AgentWallet.MAX_GRANT, MAX_VALIDITY). */
export const leastLimit = microUsdc(1_000_000n) // $1
export const mostLimit = microUsdc(10_000_000_000n) // $10,000
export const mostHours = 2160 // 90 days
export const defaultLimit = '1000'
export const defaultHours = '720'

/** Null when `limit` may be asked for. */
export function limitProblem(limit: bigint | null): string | null {
  if (limit === null || limit < leastLimit) return 'Spending limit must be at least $1'
  return limit > mostLimit ? 'Spending limit cannot exceed $10,000' : null
}

/** Null when whole `hours` may be asked for. */
export function durationProblem(hours: number): string | null {
  if (!Number.isInteger(hours) || hours < 1) return 'Duration must be at least 1 hour'
  return hours > mostHours ? 'Duration cannot exceed 2160 hours (90 days)' : null
}

/** What an owner may sign (AgentWallet, "Owner, by a signature anyone may submit"). */
export const ownerActionKinds = ['setSession', 'revokeSession', 'disableRotation', 'withdraw'] as const
export type OwnerActionKind = (typeof ownerActionKinds)[number]
