import { type MicroUsdc, microUsdc, saturatingSub } from './money.ts'
import { dayMs } from './time.ts'

/** Bounds of a rotation: the contract's own caps for a grant (AgentWallet.MAX_GRANT, MAX_VALIDITY). */
export const minLimit = microUsdc(1_000_000n) // $1
export const maxLimit = microUsdc(10_000_000_000n) // $10,000
export const maxHours = 2160 // 90 days
/** Of the first session of a new wallet: 1,000 USDC. */
export const firstLimit = microUsdc(1_000_000_000n)
export const defaultLimit = '1000'
export const defaultHours = '720'

/** Null if the limit is valid. */
export function limitProblem(limit: bigint | null): string | null {
  if (limit === null || limit < minLimit) return 'Spending limit must be at least $1'
  return limit > maxLimit ? 'Spending limit cannot exceed $10,000' : null
}

/**
 * Null if a session of this limit may set `allowance` aside for purchases, in whole USDC. Sends may use the rest. The
 * contract refuses more than the limit (PurchaseAllowanceTooHigh).
 */
export function allowanceProblem(allowance: number, limit: bigint): string | null {
  if (!Number.isInteger(allowance) || allowance < 0) return 'Purchase allowance must be a whole number of USDC'
  return allowanceInMicro(allowance) > limit ? 'Purchase allowance cannot exceed the spending limit' : null
}

export const allowanceInMicro = (allowance: number): MicroUsdc => microUsdc(BigInt(allowance) * 1_000_000n)

/** What is proposed, in whole USDC, when a session with `limit` first keeps something for purchases: a tenth, at most 20. */
export function proposedAllowance(limit: bigint): number {
  const most = 20
  return limit >= allowanceInMicro(10 * most) ? most : wholeUsdc(limit / 10n)
}
const wholeUsdc = (amount: bigint): number => Number(amount / allowanceInMicro(1))

/** The part of a session's limit that sends may use. */
export const sendLimitOf = (limit: bigint, allowance: number): MicroUsdc =>
  saturatingSub(limit, allowanceInMicro(allowance))

/** Null if the duration is valid. */
export function durationProblem(hours: number): string | null {
  if (hours < 1) return 'Duration must be at least 1 hour'
  if (!Number.isInteger(hours)) return 'Duration must be a whole number of hours'
  return hours > maxHours ? 'Duration cannot exceed 2160 hours (90 days)' : null
}

/** Actions that an owner authorizes by a signature that anyone may submit. */
export const ownerActionKinds = ['setSession', 'revokeSession', 'disableRotation', 'withdraw'] as const
export type OwnerActionKind = (typeof ownerActionKinds)[number]

/** How many days before its end a session key's owner is warned. */
const warnDays = [7, 1] as const
export type WarnDays = (typeof warnDays)[number]
/** In ms. */
type Life = { startedAt: number; endsAt: number }

/** A key gets only the warnings that it outlives: for one of an hour's life they would come with its start. */
const warningsOf = ({ startedAt, endsAt }: Life) =>
  warnDays.map((days) => ({ days, at: endsAt - days * dayMs })).filter(({ at }) => at > startedAt)

/** The latest warning that is due; null if none is, or the key has ended. */
export const keyWarning = (life: Life, now: number): WarnDays | null =>
  now >= life.endsAt ? null : (warningsOf(life).findLast(({ at }) => at <= now)?.days ?? null)

/** When the next warning is due (ms); null after the last. */
export const nextKeyWarningAt = (life: Life, now: number): number | null =>
  warningsOf(life).find(({ at }) => at > now)?.at ?? null
