import { type MicroUsdc, min, saturatingSub, zeroUsdc } from '#domain/money.ts'
import { scopeFor, visibleScopes } from '#domain/scopes.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { microOf } from './amounts.ts'
import type { BudgetLeft } from './budgetLeft.ts'

/** The most that new payments from the wallet may add up to now, before any policy. Null if unknown. */
export function freeOf(wallet: Wallet | undefined): MicroUsdc | null {
  if (!wallet?.exposure) return null
  if (wallet.status !== 'active' || wallet.paused || wallet.halted) return zeroUsdc
  return saturatingSub(microOf(wallet.exposure.canLeave), microOf(wallet.held))
}

const byPayout: readonly string[] = [scopeFor.email, scopeFor.phone]

/**
 * The most that the agents of a group could spend now, in micro-USDC: what its budgets leave, what the wallet has free,
 * and, if only payouts are allowed, what unclaimed ones may still add up to (null if there is no such limit).
 */
export function mostSpendable(policy: {
  left: BudgetLeft
  free: MicroUsdc
  scopes: readonly string[]
  unclaimedLeft: MicroUsdc | null
}): MicroUsdc {
  const allowed = visibleScopes.filter((scope) => policy.scopes.includes(scope))
  if (allowed.length === 0) return zeroUsdc
  const most = min(policy.left ?? policy.free, policy.free)
  const onlyPayouts = allowed.every((scope) => byPayout.includes(scope))
  return onlyPayouts && policy.unclaimedLeft !== null ? min(most, policy.unclaimedLeft) : most
}
