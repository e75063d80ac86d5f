import { type MicroUsdc, microUsdc, minusOrZero, smaller, zeroUsdc } from './money.ts'
import { type GroupPolicy, remainingOf } from './policy.ts'
import { periodNow } from './policyPeriod.ts'

/**
 * What can happen to an owner's money without the owner: the non-custodial promise in figures. Everything is
 * micro-USDC. `canLeave` counts payments under way, since they have not left yet.
 */
export type Exposure = {
  /** The most that can leave without the owner now. */
  canLeave: MicroUsdc
  /** What agents could newly spend of that under their budgets. */
  agents: MicroUsdc
  /** Already left, waits in unclaimed payouts. */
  inPayouts: MicroUsdc
  /** Bursar can renew session keys by itself: up to `providerDaily` more a day. */
  canRenew: boolean
}

/** The contract's cap on all grants of the provider to one wallet within a UTC day: 10,000 USDC. */
export const providerDaily = microUsdc(10_000_000_000n)

export type WalletPower = {
  /** On chain. */
  balance: MicroUsdc
  /** Part of the balance that is promised to payments under way. */
  held: MicroUsdc
  /** What the key on our side may still move; null: all of it (an imported wallet), zero: no valid session. */
  sessionLeft: MicroUsdc | null
  inPayouts: MicroUsdc
  canRenew: boolean
  /** `left`: see `budgetLeft`. `active`: somebody could spend it now (not paused, at least one agent, a scope to pay). */
  groups: readonly { left: MicroUsdc | null; active: boolean }[]
}

/** What a group's budgets leave its agents at `now` (ms), of the total and of the period; null: there is no limit. */
export function budgetLeft({ budget, period }: Pick<GroupPolicy, 'budget' | 'period'>, now: number): MicroUsdc | null {
  const total = remainingOf(budget)
  const inPeriod = period && minusOrZero(period.limit, periodNow(period, now).used)
  return total === null || inPeriod === null ? (total ?? inPeriod) : smaller(total, inPeriod)
}

/** min(balance, session key remaining), and of what is not promised yet the part that budgets open to agents. */
export function exposureOf(wallet: WalletPower): Exposure {
  const canLeave = wallet.sessionLeft === null ? wallet.balance : smaller(wallet.balance, wallet.sessionLeft)
  const free = minusOrZero(canLeave, wallet.held)
  let open: MicroUsdc = zeroUsdc
  for (const { left, active } of wallet.groups) if (active) open = microUsdc(open + smaller(left ?? free, free))
  return { canLeave, agents: smaller(open, free), inPayouts: wallet.inPayouts, canRenew: wallet.canRenew }
}

/** All wallets of an account. Null as soon as one of them is not known: a sum that leaves one out would reassure wrongly. */
export function accountExposure(wallets: readonly (Exposure | null)[]): Exposure | null {
  const sum: Exposure = { canLeave: zeroUsdc, agents: zeroUsdc, inPayouts: zeroUsdc, canRenew: false }
  for (const wallet of wallets) {
    if (wallet === null) return null
    sum.canLeave = microUsdc(sum.canLeave + wallet.canLeave)
    sum.agents = microUsdc(sum.agents + wallet.agents)
    sum.inPayouts = microUsdc(sum.inPayouts + wallet.inPayouts)
    sum.canRenew ||= wallet.canRenew
  }
  return sum
}

/** The most that can leave once a new session with `limit` has replaced the present one. */
export const canLeaveAfterRotation = (balance: MicroUsdc, limit: MicroUsdc): MicroUsdc => smaller(balance, limit)
