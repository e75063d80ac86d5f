import { formatUsdc } from '#domain/money.ts'
import { remainingOf } from '#domain/policy.ts'
import type { Payment } from '#schemas/payment.ts'
import { groupPolicy } from '../storage/groupPolicy.ts'
import type { GroupRow } from '../storage/rows.ts'

/** Decimal USDC. The user's own payments have no group and therefore no limit. */
export function budgetView(group: GroupRow | null): Payment['budget'] {
  if (!group) return { limit: null, spent: '0', held: '0', remaining: null }
  const { budget } = groupPolicy(group, null, false)
  const remaining = remainingOf(budget)
  return {
    limit: budget.limit === null ? null : formatUsdc(budget.limit),
    spent: formatUsdc(budget.spent),
    held: formatUsdc(budget.held),
    remaining: remaining === null ? null : formatUsdc(remaining),
  }
}
