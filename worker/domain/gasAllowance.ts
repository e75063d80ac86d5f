import type { Limits } from './limits.ts'
import { type MicroUsdc, usdcSetting, zeroUsdc } from './money.ts'
import { dayMs } from './time.ts'

/** Gas units per step, rounded up from the measured cost of each step on its own (docs/operations.md). */
export const stepGas = {
  send: 85_000,
  /** To a recipient without USDC. */
  sendOn: 105_000,
  announce: 40_000,
  claim: 125_000,
  reclaim: 105_000,
  deploy: 140_000,
  rotate: 75_000,
  ownerAction: 100_000,
} as const

/** Gas that a payment may need over its lifetime: a payout is funded, announced, and claimed or reclaimed. */
export const paymentGas = (isPayout: boolean): number =>
  isPayout ? stepGas.send + stepGas.announce + Math.max(stepGas.claim, stepGas.reclaim) : stepGas.send

/** Gas reserved and used in one UTC day. */
export type GasUse = { owner: number; agents: Readonly<Record<string, number>> }

/** State of the account: its daily allowance, which doubles after a day with enough confirmed and nothing failed. */
export type GasLevel = {
  allowance: number
  /** UTC day number of the two values below. */
  day: number
  /** Sum of confirmed payments. */
  confirmed: MicroUsdc
  failed: boolean
}

export const utcDay = (now: number): number => Math.floor(now / dayMs)
/** ms */
export const dayEndsAt = (now: number): number => (utcDay(now) + 1) * dayMs

/** The level on the day of `now`. If the clock went back, the later day is kept. */
export function levelAt(level: GasLevel | null, limits: Limits, now: number): GasLevel {
  const day = utcDay(now)
  if (level === null) return { allowance: limits.gasPerDay, day, confirmed: zeroUsdc, failed: false }
  if (day <= level.day) return { ...level, allowance: Math.min(limits.maxGasPerDay, level.allowance) }
  const doubled = isGoodDay(level, limits) && !level.failed ? level.allowance * 2 : level.allowance
  return {
    allowance: Math.min(limits.maxGasPerDay, Math.max(limits.gasPerDay, doubled)),
    day,
    confirmed: zeroUsdc,
    failed: false,
  }
}

/** Whether payments moved enough on the day of the level for the allowance to double. */
export const isGoodDay = ({ confirmed }: GasLevel, { goodDayUsdc }: Limits): boolean =>
  confirmed > 0n && confirmed >= usdcSetting(goodDayUsdc)

/** Gas that the owner (null), an agent or the account's runs may still reserve today. Runs are one of `agents`. */
export function gasLeft(level: GasLevel, use: GasUse, limits: Limits, spender: string | null): number {
  const byAgents = Object.values(use.agents).reduce((sum, gas) => sum + gas, 0)
  const total = level.allowance - use.owner - byAgents
  if (spender === null) return Math.max(0, total)
  const share = (percent: number) => Math.floor((level.allowance * percent) / 100)
  return Math.max(
    0,
    Math.min(
      total,
      share(limits.agentGasPercent) - (use.agents[spender] ?? 0),
      // The owner's use of the share kept for them does not reduce the agents' share.
      level.allowance - share(limits.ownerGasPercent) - byAgents,
    ),
  )
}
