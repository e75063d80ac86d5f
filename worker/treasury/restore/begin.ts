import { isoOf } from '#domain/time.ts'
import { endApproval } from '../approvals/end.ts'
import { endGrants } from '../approvals/grants.ts'
import { type Context, newId } from '../core/context.ts'
import { lastChange, raiseChanges } from '../delivery/history.ts'
import { audit } from '../ledger/audit.ts'
import type { ApprovalRow } from '../storage/rows.ts'
import { newState, type RestoreState, writeState } from './state.ts'

/** More rows of the audit log than going back ever loses, so that later events have higher numbers than any sent before. */
const lostRows = 1_000_000

/**
 * The first step on an object that was put back, in one transaction. It revokes what the owner may have forbidden since:
 * agents are paused, approvals and grants end, and the session keys of smart wallets are destroyed, so that nothing is ever
 * signed under an epoch whose signatures are unknown here.
 */
export function begin(ctx: Context, id: string, since: number): RestoreState {
  const { store, now } = ctx
  return store.transaction(() => {
    const last = store.first<{ at: number }>('SELECT at FROM audit ORDER BY seq DESC LIMIT 1')
    const seq = lastChange(store)
    const edition = store.meta('edition') ?? 0
    // D1 and the desks keep what has the highest edition, and History follows the numbers of changes. Both rise more slowly
    // than the clock's milliseconds, so this is above all that were sent.
    const floor = Math.max(edition, seq + 1, now())
    const state: RestoreState = {
      ...newState(id, 'wait', since),
      seq,
      floor,
      asOf: last?.at ?? 0,
    }
    writeState(store, state)
    audit(store, now(), 'account.restored', 'account', { restore: id, asOf: isoOf(state.asOf) }, lostRows)
    store.setMeta('edition', floor)
    raiseChanges(ctx, floor, newId(ctx, 'inc'))
    store.pauseAccount(true)
    // Every agent, because it is unknown which ones were paused individually since.
    store.run('UPDATE agent SET paused = 1')
    for (const approval of store.all<ApprovalRow>("SELECT * FROM approval WHERE status = 'PENDING'"))
      endApproval(ctx, approval, 'cancel', { cancelled: 'account_restored' })
    for (const { id: grant } of store.all<{ id: string }>('SELECT id FROM approval_grant WHERE ended_at IS NULL'))
      endGrants(ctx, { column: 'id', id: grant }, 'account_restored')
    const smart = "(SELECT id FROM wallet WHERE kind = 'smart')"
    store.run(`UPDATE session SET sealed_key = '', current = 0 WHERE wallet_id IN ${smart}`)
    store.run("UPDATE wallet SET sealed_key = '' WHERE kind = 'smart'")
    store.run('UPDATE wallet_action SET sealed_key = NULL')
    store.run(
      "UPDATE wallet_action SET status = 'failed', ended_at = ?, error = 'The account was restored from a backup.' WHERE ended_at IS NULL",
      now(),
    )
    return state
  })
}
