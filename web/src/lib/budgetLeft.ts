import { formatUsdc, type MicroUsdc, min, saturatingSub, zeroUsdc } from '#domain/money.ts'
import type { Period } from '#domain/policyPeriod.ts'
import { rulesFromWire, windowsIn } from '#domain/rules/values.ts'
import type { Used } from '#domain/rules/windows.ts'
import { scopeFor, visibleScopes } from '#domain/scopes.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { microOf, typedMicro } from './amounts.ts'

/** Micro-USDC that the group's budgets leave its agents; null if there is no limit. */
export type BudgetLeft = MicroUsdc | null

export function budgetLeftOf({ remaining, periodBudget }: PolicyGroup): BudgetLeft {
  return tighter(remaining === null ? null : microOf(remaining), periodBudget && microOf(periodBudget.remaining))
}

/** The budget left once the limit is raised by `more`. */
export function budgetLeftAfterTopUp(group: PolicyGroup, more: MicroUsdc): BudgetLeft {
  const remaining = group.remaining && formatUsdc(microOf(group.remaining) + more)
  return budgetLeftOf({ ...group, remaining })
}

/**
 * The budget left once the limits are set as typed; amounts spent, held or used in the same kind of period still count.
 * Undefined while the input is not an amount. `group` is null for a new group.
 */
export function budgetLeftAsTyped(
  group: PolicyGroup | null,
  typed: { budget: string; period: Period; periodLimit: string },
): BudgetLeft | undefined {
  const mayBeUnlimited = group?.spendLimitUsdc === null
  const budget = typed.budget.trim() ? typedMicro(typed.budget) : mayBeUnlimited ? 'none' : null
  const limit = typed.periodLimit.trim() ? typedMicro(typed.periodLimit) : 'none'
  if (budget === null || limit === null) return undefined
  const used = group ? microOf(group.currentSpent) + microOf(group.held) : 0n
  const samePeriod = group?.periodBudget?.period === typed.period ? group.periodBudget : null
  const usedInPeriod = samePeriod ? microOf(samePeriod.used) : 0n
  return tighter(
    budget === 'none' ? null : saturatingSub(budget, used),
    limit === 'none' ? null : saturatingSub(limit, usedInPeriod),
  )
}

/** What the group's rules have counted for the whole group, by field. */
export function countedIn(group: PolicyGroup): Record<string, Used> {
  const used: Record<string, Used> = {}
  for (const { rule } of windowsIn(rulesFromWire(group))) {
    const view = (group as unknown as Record<string, CountedView | undefined>)[rule.field]
    if (view?.used === undefined) continue
    used[rule.field] = {
      used: typeof view.used === 'number' ? BigInt(view.used) : microOf(view.used),
      startsAt: Date.parse(view.startsAt),
      resetsAt: view.resetsAt === null ? null : Date.parse(view.resetsAt),
    }
  }
  return used
}
type CountedView = { used?: string | number; startsAt: string; resetsAt: string | null }

const tighter = (a: BudgetLeft, b: BudgetLeft): BudgetLeft => (a === null || b === null ? (a ?? b) : min(a, b))

/** The most that new payments from the wallet may add up to now, before any policy. Null if unknown. */
export function freeOf(
  wallet: Pick<Wallet, 'exposure' | 'status' | 'paused' | 'halted' | 'held'> | undefined,
): MicroUsdc | null {
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
