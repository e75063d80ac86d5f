import type { Scope } from '#domain/scopes.ts'
import { keyWarning, nextKeyWarningAt } from '#domain/sessionKey.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { EndingKey } from '#schemas/overview.ts'
import type { Context } from '../core/context.ts'
import type { SessionRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { audit } from '../ledger/audit.ts'
import { enqueue } from '../outbox/enqueue.ts'

/** Session keys that end soon: agents of the wallet stop with them, unless the owner rotates. */

export const lifeOf = ({ adopted_at, valid_until }: SessionRow) => ({
  startedAt: adopted_at,
  endsAt: valid_until * 1000,
})

/** Keys of active smart wallets; an imported wallet's key has no end. */
const currentKeys = (store: Store) =>
  store.all<SessionRow>(
    `SELECT session.* FROM session JOIN wallet ON wallet.id = wallet_id
     WHERE current = 1 AND wallet.status = 'active' AND wallet.kind = 'smart' ORDER BY valid_until`,
  )

/** Call when a session begins. */
export function scheduleWarnings(ctx: Context, session: SessionRow): void {
  const at = nextKeyWarningAt(lifeOf(session), ctx.now())
  if (at !== null) ctx.schedule('keys', at)
}

/** Warns of each key once for each number of days. Returns when the next warning is due (ms); null without one. */
export function warnOfEndingKeys(ctx: Context): number | null {
  const { store, now } = ctx
  let nextAt: number | null = null
  for (const session of currentKeys(store)) {
    const { wallet_id, epoch, warned_days, valid_until } = session
    const days = keyWarning(lifeOf(session), now())
    if (days !== null && days !== warned_days)
      store.transaction(() => {
        store.run('UPDATE session SET warned_days = ? WHERE wallet_id = ? AND epoch = ?', days, wallet_id, epoch)
        audit(store, now(), 'session.ending', wallet_id, { days, validUntil: valid_until })
        enqueue(ctx, 'mail.session_ending', wallet_id)
      })
    const at = nextKeyWarningAt(lifeOf(session), now())
    if (at !== null && (nextAt === null || at < nextAt)) nextAt = at
  }
  return nextAt
}

/** Names of the agents that pay from a wallet, in alphabetical order; with `scope`, of those that have it. */
export const agentsOf = (store: Store, walletId: string, scope: Scope | null = null): string[] =>
  store
    .all<{ name: string }>(
      `SELECT agent.name FROM agent JOIN policy_group ON policy_group.id = group_id
       WHERE policy_group.wallet_id = ?1 AND agent.deleted_at IS NULL
         AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(policy_group.scopes) WHERE value = ?2))
       ORDER BY agent.name COLLATE NOCASE LIMIT 100`,
      walletId,
      scope,
    )
    .map(({ name }) => name)

/**
 * Keys whose owner was or would be warned, those that end within a day, however short their life, and those that have ended
 * although agents need them; the next to end first.
 */
export function endingKeys({ store, now }: Context): EndingKey[] {
  return currentKeys(store).flatMap((session) => {
    const { endsAt } = lifeOf(session)
    const agents = agentsOf(store, session.wallet_id)
    const isEnding = now() >= endsAt - dayMs || keyWarning(lifeOf(session), now()) !== null
    const isShown = now() >= endsAt ? agents.length > 0 : isEnding
    const { id: walletId, name } = store.wallet(session.wallet_id)!
    return isShown ? [{ walletId, name, endsAt: isoOf(endsAt), agents }] : []
  })
}
