import type { MicroUsdc } from './money.ts'
import { isLooser, type RuleValues } from './rules/values.ts'

/**
 * When an owner's change needs the password. A session alone may raise what can leave without a person by at most the
 * owner's limit in 24 hours, in all steps together.
 */

/** How much more may leave without a person: micro-USDC, or `unbounded` if nothing but the wallet's money bounds it. */
export type Increase = bigint | 'unbounded'

/** `raised` (micro-USDC) is what changes of the last 24 hours added without the password. Without a limit it is never asked. */
export const needsPassword = (limit: MicroUsdc | null, raised: bigint, increase: Increase): boolean =>
  limit !== null && (increase === 'unbounded' || (increase > 0n && raised + increase > limit))

export const sumOfIncreases = (increases: readonly Increase[]): Increase => {
  let sum = 0n
  for (const increase of increases) {
    if (increase === 'unbounded') return 'unbounded'
    sum += increase
  }
  return sum
}

/** What bounds a group's payments. */
export type GroupBounds = {
  /** What its agents may still spend in all; 0 if it has none. */
  spendable: Increase
  rules: RuleValues
  /** Scopes and contacts that may be paid. */
  recipients: readonly (readonly string[])[]
}

/** Any looser rule counts as all that the group may spend; otherwise the difference does. */
export function increaseByEdit(before: GroupBounds, after: GroupBounds): Increase {
  const isWider = after.recipients.some((list, i) => {
    const known = new Set(before.recipients[i])
    return list.some((one) => !known.has(one))
  })
  if (isWider || isLooser(before.rules, after.rules)) return after.spendable
  if (before.spendable === 'unbounded') return 0n
  if (after.spendable === 'unbounded') return 'unbounded'
  return after.spendable > before.spendable ? after.spendable - before.spendable : 0n
}
