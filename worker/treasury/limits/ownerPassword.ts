import { formatUsdcText, type MicroUsdc } from '#domain/money.ts'
import { type GroupBounds, type Increase, needsPassword, sumOfIncreases } from '#domain/ownerPassword.ts'
import { type Refused, refuse } from '../../result.ts'
import { actorNow } from '../core/acting.ts'
import type { Context } from '../core/context.ts'
import { fromColumn, toColumn } from '../core/storage/columns.ts'
import { rulesOf } from '../core/storage/groupPolicy.ts'
import type { GroupRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { firstPeriod, periodNow } from './periods.ts'

/** Letting more than this leave in 24 hours needs the password. Null if it is never needed. */
export const passwordAbove = ({ store }: Context): MicroUsdc | null => store.meta('approval_password_above')

/** Whether this would need the password of the person who acts now. */
export function wouldNeedPassword(ctx: Context, increase: Increase): boolean {
  const limit = passwordAbove(ctx)
  if (limit === null) return false
  const { raised } = ctx.store.first<{ raised: number }>(
    'SELECT coalesce(sum(amount), 0) AS raised FROM owner_increase WHERE person = ? AND period >= ?',
    actorNow().by,
    firstPeriod(ctx),
  )!
  return needsPassword(limit, BigInt(raised), increase)
}

/**
 * Counts an increase of what may leave without a person. Returns a refusal if it needs the password, which is then not
 * counted. Call inside the transaction of the change, once nothing else refuses it.
 */
export function takeIncrease(ctx: Context, increase: Increase, passwordChecked: boolean): Refused | null {
  const limit = passwordAbove(ctx)
  if (passwordChecked || limit === null || increase === 0n) return null
  if (increase === 'unbounded' || wouldNeedPassword(ctx, increase)) return passwordNeeded(limit)
  ctx.store.run('DELETE FROM owner_increase WHERE period < ?', firstPeriod(ctx))
  const row = { person: actorNow().by, period: periodNow(ctx), amount: toColumn(increase) }
  ctx.store.insert('owner_increase', row, 'ON CONFLICT DO UPDATE SET amount = amount + excluded.amount')
  return null
}

const passwordNeeded = (limit: MicroUsdc): Refused =>
  refuse(
    'password_required',
    `Enter your password: with this change, more than ${formatUsdcText(limit)} USDC could leave within 24 hours without it.`,
    { field: 'password' },
  )

/** What the group's agents may still spend without a person; 0 without agents. */
export function spendableOf(store: Store, group: GroupRow | null): Increase {
  if (!group || !store.first('SELECT 1 FROM agent WHERE group_id = ? AND deleted_at IS NULL LIMIT 1', group.id))
    return 0n
  return budgetOf(group)
}

/** What the group may spend. What payouts hold is part of it: reclaiming one needs no password. */
export const budgetOf = (group: GroupRow): Increase => {
  if (group.spend_limit === null) return 'unbounded'
  const left = fromColumn(group.spend_limit) - fromColumn(group.spent)
  return left > 0n ? left : 0n
}

export function boundsOf(store: Store, group: GroupRow): GroupBounds {
  const contacts = store.all<{ id: string }>('SELECT contact_id AS id FROM whitelist WHERE group_id = ?', group.id)
  return {
    spendable: spendableOf(store, group),
    rules: rulesOf(group),
    recipients: [JSON.parse(group.scopes) as string[], contacts.map(({ id }) => id)],
  }
}

/** What may be spent again once this is resumed. */
export function resumedSpending(
  store: Store,
  subject: { kind: 'account' } | { kind: 'agent' | 'group' | 'wallet'; id: string },
): Increase {
  const groups =
    subject.kind === 'account'
      ? store.all<GroupRow>('SELECT * FROM policy_group WHERE deleted_at IS NULL')
      : subject.kind === 'wallet'
        ? store.all<GroupRow>('SELECT * FROM policy_group WHERE deleted_at IS NULL AND wallet_id = ?', subject.id)
        : [store.group(subject.kind === 'group' ? subject.id : (store.agent(subject.id)?.group_id ?? ''))]
  return sumOfIncreases(groups.map((group) => spendableOf(store, group)))
}
