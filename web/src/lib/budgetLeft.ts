import { budgetLeft } from '#domain/budgetLeft.ts'
import { formatUsdc, type MicroUsdc, min, saturatingSub, zeroUsdc } from '#domain/money.ts'
import { type RuleValues, rulesFromWire, windowsIn } from '#domain/rules/values.ts'
import { type Used, usedOf } from '#domain/rules/windows.ts'
import { payScopes, purchaseScope, scopeFor } from '#domain/scopes.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { microOf, typedMicro } from './amounts.ts'

/** Micro-USDC that the group's budgets leave its agents; null if there is no limit. */
export type BudgetLeft = MicroUsdc | null

/** What budgets and rules leave at `now` (ms). */
export function budgetLeftOf(group: PolicyGroup, now = Date.now()): BudgetLeft {
  return budgetLeft(
    { budget: budgetOf(group), rules: rulesFromWire(group), unclaimed: zeroUsdc },
    now,
    countedIn(group),
  )
}

const budgetOf = ({ spendLimitUsdc, currentSpent, held }: PolicyGroup) => ({
  limit: spendLimitUsdc === null ? null : microOf(spendLimitUsdc),
  spent: microOf(currentSpent),
  held: microOf(held),
})

/** The budget left once the limit is raised by `more`. */
export function budgetLeftAfterTopUp(group: PolicyGroup, more: MicroUsdc): BudgetLeft {
  const limit = group.spendLimitUsdc && formatUsdc(microOf(group.spendLimitUsdc) + more)
  return budgetLeftOf({ ...group, spendLimitUsdc: limit })
}

/**
 * The budget left once the limits are set as typed; amounts spent, held or counted in the same window still count.
 * Undefined while the input is not valid. `group` is null for a new group.
 */
export function budgetLeftAsTyped(
  group: PolicyGroup | null,
  typed: { budget: string },
  rules: RuleValues | null,
  now = Date.now(),
): BudgetLeft | undefined {
  const limit = typed.budget.trim() ? typedMicro(typed.budget) : null
  if (rules === null || (limit === null && (group?.spendLimitUsdc !== null || typed.budget.trim()))) return undefined
  const budget = { ...(group ? budgetOf(group) : { spent: zeroUsdc, held: zeroUsdc }), limit }
  const counted = group ? countedIn(group) : {}
  const known = new Map(group ? windowsIn(rulesFromWire(group)).map(({ rule, window }) => [rule, window.span]) : [])
  const used: Record<string, Used> = {}
  for (const { rule, window } of windowsIn(rules))
    if (!window.perRecipient) {
      const same = known.get(rule) === window.span ? counted[rule.field] : undefined
      used[rule.field] = same ?? usedOf(window.span, null, now)
    }
  return budgetLeft({ budget, rules, unclaimed: zeroUsdc }, now, used)
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

/** The most that new payments from the wallet may add up to now, if only `scopes` limit them. Null if unknown. */
export function freeOf(
  wallet: Pick<Wallet, 'exposure' | 'status' | 'paused' | 'halted' | 'held'> | undefined,
  scopes: readonly string[],
): MicroUsdc | null {
  if (!wallet?.exposure) return null
  if (wallet.status !== 'active' || wallet.paused || wallet.halted) return zeroUsdc
  const { canLeave, canSend } = wallet.exposure
  return saturatingSub(microOf(scopes.includes(purchaseScope) ? canLeave : canSend), microOf(wallet.held))
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
  const allowed = payScopes.filter((scope) => policy.scopes.includes(scope))
  if (allowed.length === 0) return zeroUsdc
  const most = min(policy.left ?? policy.free, policy.free)
  const onlyPayouts = allowed.every((scope) => byPayout.includes(scope))
  return onlyPayouts && policy.unclaimedLeft !== null ? min(most, policy.unclaimedLeft) : most
}
