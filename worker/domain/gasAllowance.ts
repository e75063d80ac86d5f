import type { Limits } from './limits.ts'

/** Gas units of one step, rounded up from what the contracts are measured to cost alone (docs/operations.md). */
export const stepGas = {
  send: 85_000,
  announce: 40_000,
  claim: 125_000,
  reclaim: 105_000,
  deploy: 140_000,
  rotate: 75_000,
  ownerAction: 100_000,
} as const
export type GasStep = keyof typeof stepGas

/** What a payment may cost until its end: a payout is funded, announced, and claimed or reclaimed. */
export const paymentGas = (isPayout: boolean): number =>
  isPayout ? stepGas.send + stepGas.announce + Math.max(stepGas.claim, stepGas.reclaim) : stepGas.send

/** Gas reserved and used in one UTC day. */
export type GasUse = { owner: number; agents: Readonly<Record<string, number>> }

/** State of the account: its daily allowance, which doubles after a day with a confirmed payment and without failures. */
export type GasLevel = {
  allowance: number
  /** UTC day number that the two marks below are of. */
  day: number
  confirmed: boolean
  failed: boolean
}

const dayMs = 86_400_000
export const utcDay = (now: number): number => Math.floor(now / dayMs)
/** ms */
export const dayEndsAt = (now: number): number => (utcDay(now) + 1) * dayMs

/** The level on the day of `now`. A clock that went back keeps the later day. */
export function levelAt(level: GasLevel | null, limits: Limits, now: number): GasLevel {
  const day = utcDay(now)
  if (level === null) return { allowance: limits.gasPerDay, day, confirmed: false, failed: false }
  if (day <= level.day) return { ...level, allowance: Math.min(limits.maxGasPerDay, level.allowance) }
  const doubled = level.confirmed && !level.failed ? level.allowance * 2 : level.allowance
  return {
    allowance: Math.min(limits.maxGasPerDay, Math.max(limits.gasPerDay, doubled)),
    day,
    confirmed: false,
    failed: false,
  }
}

/** Gas that this principal may still reserve today; `agentId` null: the owner. */
export function gasLeft(level: GasLevel, use: GasUse, limits: Limits, agentId: string | null): number {
  const byAgents = Object.values(use.agents).reduce((sum, gas) => sum + gas, 0)
  const total = level.allowance - use.owner - byAgents
  if (agentId === null) return Math.max(0, total)
  const share = (percent: number) => Math.floor((level.allowance * percent) / 100)
  return Math.max(
    0,
    Math.min(
      total,
      share(limits.agentGasPercent) - (use.agents[agentId] ?? 0),
      // What the owner has used of the part kept for them is not taken from the agents' part.
      level.allowance - share(limits.ownerGasPercent) - byAgents,
    ),
  )
}
