import type { MicroUsdc } from '#domain/money.ts'
import { percentUsed } from '#domain/statistics.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { enqueue } from '../outbox/enqueue.ts'
import type { GroupRow } from '../storage/rows.ts'

/**
 * Notifies the owner when a payment that is being accepted takes the budget past 75%, 90% or 100%: once per level and
 * limit. `group` is the row before the payment. Call inside a transaction.
 */
export function noticeBudget(ctx: Context, group: GroupRow | null, amount: MicroUsdc): void {
  if (!group || group.spend_limit === null) return
  const percent = percentUsed(BigInt(group.spent) + BigInt(group.held) + amount, BigInt(group.spend_limit))
  const level = percent >= 100 ? 100 : percent >= 90 ? 90 : percent >= 75 ? 75 : 0
  const notified = group.noticed_limit === group.spend_limit ? group.noticed : 0
  if (level <= notified) return
  ctx.store.run('UPDATE policy_group SET noticed = ?, noticed_limit = spend_limit WHERE id = ?', level, group.id)
  audit(ctx.store, ctx.now(), 'group.budget_reached', group.id, { percent: level })
  enqueue(ctx, 'mail.budget_reached', group.id)
}
