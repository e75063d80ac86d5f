import { formatUsdcText, type MicroUsdc, maxAmount } from '#domain/money.ts'
import { remainingOf } from '#domain/policy.ts'
import { percentUsed } from '#domain/statistics.ts'
import type { Payment } from '#schemas/payment.ts'
import { ok, type Result, refuse } from '../../result.ts'
import { budgetFigures } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { fromColumn } from '../core/storage/columns.ts'
import { groupPolicy } from '../core/storage/groupPolicy.ts'
import type { GroupRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { enqueue } from '../outbox/enqueue.ts'

/** Decimal USDC. The user's own payments have no group and therefore no limit. */
export function budgetView(group: GroupRow | null): Payment['budget'] {
  if (!group) return { limit: null, spent: '0', held: '0', remaining: null }
  const { budget } = groupPolicy(group, null, false)
  return budgetFigures({ ...budget, remaining: remainingOf(budget) })
}

/**
 * Notifies the owner when a payment that is being accepted takes the budget past 75%, 90% or 100%: once per level and
 * limit. `group` is the row before the payment. Call inside a transaction.
 */
export function noticeBudget(ctx: Context, group: GroupRow | null, amount: MicroUsdc): void {
  if (!group || group.spend_limit === null) return
  const percent = percentUsed(fromColumn(group.spent) + fromColumn(group.held) + amount, fromColumn(group.spend_limit))
  const level = percent >= 100 ? 100 : percent >= 90 ? 90 : percent >= 75 ? 75 : 0
  const notified = group.noticed_limit === group.spend_limit ? group.noticed : 0
  if (level <= notified) return
  ctx.store.run('UPDATE policy_group SET noticed = ?, noticed_limit = spend_limit WHERE id = ?', level, group.id)
  audit(ctx.store, ctx.now(), 'group.budget_reached', group.id, { percent: level })
  enqueue(ctx, 'mail.budget_reached', group.id)
}

/** The limit raised by this amount, or why it can't be raised. */
export function raisedLimit(group: GroupRow, amount: MicroUsdc): Result<MicroUsdc> {
  if (group.spend_limit === null) return refuse('unprocessable', 'This policy group has no budget limit to top up.')
  const limit = fromColumn(group.spend_limit) + amount
  return limit > maxAmount
    ? refuse('unprocessable', `The budget limit can be at most ${formatUsdcText(maxAmount)} USDC`, { field: 'amount' })
    : ok(limit as MicroUsdc)
}
