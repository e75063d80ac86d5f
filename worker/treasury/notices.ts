import type { MicroUsdc } from '../domain/money.ts'
import { percentUsed } from '../domain/statistics.ts'
import type { Context } from './context.ts'
import { changed } from './outbox.ts'
import type { GroupRow, PayoutRow } from './store.ts'

/** Mails that nobody asked for but people are glad of (decisions.md 49). Each is told once. */

const dayMs = 86_400_000
const hourMs = 3_600_000

/**
 * A budget that passes 75, 90 or 100 % by a payment that is just being accepted: once per level and limit. `group` is
 * the row as it was before.
 */
export function noticeBudget(ctx: Context, group: GroupRow | null, amount: MicroUsdc): void {
  if (!group || group.spend_limit === null) return
  const percent = percentUsed(BigInt(group.spent) + BigInt(group.held) + amount, BigInt(group.spend_limit))
  const level = percent >= 100 ? 100 : percent >= 90 ? 90 : percent >= 75 ? 75 : 0
  const told = group.noticed_limit === group.spend_limit ? group.noticed : 0
  if (level <= told) return
  ctx.store.run('UPDATE policy_group SET noticed = ?, noticed_limit = spend_limit WHERE id = ?', level, group.id)
  changed(ctx, 'mail', `${group.id}:budget${level}`)
}

/** Reminds recipients three days and one day before a payout goes back. When the next one is due (ms), or null. */
export function remindRecipients(ctx: Context): number | null {
  const { store } = ctx
  const now = ctx.now()
  let next: number | null = null
  for (const payout of store.all<PayoutRow>(
    "SELECT * FROM payout WHERE status = 'CREATED' AND reminded < 2 ORDER BY expires_at LIMIT 500",
  )) {
    const due = reminders(payout).filter(({ at }) => at <= now)
    const latest = due.at(-1)
    if (latest)
      store.transaction(() => {
        store.run('UPDATE payout SET reminded = ? WHERE id = ?', latest.number, payout.id)
        changed(ctx, 'mail', `${payout.id}:reminder${latest.number}`)
      })
    const following = reminders(payout).find(({ at }) => at > now)
    if (following) next = Math.min(next ?? following.at, following.at)
  }
  return next
}

/** Those that are still to come; none for a time at which the payout was just made. */
const reminders = ({ expires_at, created_at, reminded }: PayoutRow) =>
  [
    { number: 1, at: expires_at - 3 * dayMs },
    { number: 2, at: expires_at - dayMs },
  ].filter(({ number, at }) => number > reminded && at > created_at + hourMs)
