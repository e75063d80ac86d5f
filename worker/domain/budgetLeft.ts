import { type MicroUsdc, min, zeroUsdc } from './money.ts'
import { type GroupPolicy, remainingOf } from './policy.ts'
import { verdictsOf } from './rules/values.ts'
import type { Used } from './rules/windows.ts'

/** What the group's total budget and its rules leave for new payments at `now` (ms). Null if there is no limit. */
export function budgetLeft(
  { budget, rules, unclaimed }: Pick<GroupPolicy, 'budget' | 'rules' | 'unclaimed'>,
  now: number,
  used: Readonly<Record<string, Used>>,
): MicroUsdc | null {
  const facts = { at: now, amount: null, isPayout: false, unclaimed, recipient: null }
  const left = verdictsOf(rules, facts, used)
    // A limit of each payment does not limit their sum.
    .filter(({ outcome, above, figures }) => outcome === 'refuse' && (above === null || figures))
    .map(({ above }) => above ?? zeroUsdc)
  const total = remainingOf(budget)
  return (total === null ? left : [...left, total]).reduce<MicroUsdc | null>(
    (least, each) => (least === null ? each : min(least, each)),
    null,
  )
}
