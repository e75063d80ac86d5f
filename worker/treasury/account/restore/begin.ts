import { zeroUsdc } from '#domain/money.ts'
import { isoOf } from '#domain/time.ts'
import { endApproval } from '../../approvals/end.ts'
import { endGrants } from '../../approvals/grants.ts'
import { type Context, newId } from '../../core/context.ts'
import type { ApprovalRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { callOffNext } from '../../limits/secondPerson.ts'
import { lastChange, raiseChanges } from '../../outbox/delivery/history.ts'
import { deleteWebhook } from '../../outbox/webhooks/endpoints.ts'
import { endConnections } from '../../policies/connections.ts'
import { endAllMembers } from '../../policies/members.ts'

/** More rows of the audit log than an account ever loses, so that later events have higher numbers than any sent before. */
const lostRows = 1_000_000

/**
 * The first step on an object that was rolled back, in one transaction. Ends what the owner may have ended since: credentials,
 * members, webhooks, approvals, grants and session keys; pauses every group. Returns the object's new incarnation. `since`: when the
 * account was frozen (ms).
 */
export function begin(ctx: Context, id: string, since: number): string {
  const { store, now } = ctx
  return store.transaction(() => {
    const known = store.meta('restore')
    if (known?.id === id && known.begun) return known.begun.incarnation
    const last = store.first<{ seq: number; at: number }>(
      'SELECT seq, at FROM audit WHERE at < ? ORDER BY seq DESC LIMIT 1',
      since,
    )
    const asOf = last?.at ?? 0
    const incarnation = newId(ctx, 'inc')
    store.setMeta('restore', { id, begun: { incarnation, asOf, audit: last?.seq ?? 0 } })
    audit(store, now(), 'account.restored', 'account', { restore: id, asOf: isoOf(asOf) }, lostRows)
    // D1 and the desks keep what has the highest edition, and History follows the numbers of changes. Both rise more slowly
    // than the clock's milliseconds, so this is above all that were sent.
    const floor = Math.max(store.meta('edition') ?? 0, lastChange(store) + 1, now())
    store.setMeta('edition', floor)
    raiseChanges(ctx, floor, incarnation)
    endEverything(ctx)
    callOffNext(ctx, asOf)
    return incarnation
  })
}

function endEverything(ctx: Context): void {
  const { store, now } = ctx
  for (const { id } of store.all<{ id: string }>("SELECT id FROM connection WHERE status <> 'ended'"))
    endConnections(ctx, { column: 'id', id }, 'account_restored')
  store.run('DELETE FROM credential')
  endAllMembers(ctx)
  for (const { id } of store.all<{ id: string }>('SELECT id FROM webhook')) deleteWebhook(ctx, id)
  for (const approval of store.all<ApprovalRow>("SELECT * FROM approval WHERE status = 'PENDING'"))
    endApproval(ctx, approval, 'cancel', { cancelled: 'account_restored' })
  for (const { id } of store.all<{ id: string }>('SELECT id FROM approval_grant WHERE ended_at IS NULL'))
    endGrants(ctx, { column: 'id', id }, 'account_restored')
  store.run('UPDATE policy_group SET paused = 1 WHERE deleted_at IS NULL')
  store.setMeta('approval_password_above', zeroUsdc)
  const smart = "(SELECT id FROM wallet WHERE kind = 'smart')"
  store.run(`UPDATE session SET sealed_key = '', current = 0 WHERE wallet_id IN ${smart}`)
  store.run("UPDATE wallet SET sealed_key = '' WHERE kind = 'smart'")
  store.run('UPDATE wallet_action SET sealed_key = NULL')
  store.run(
    "UPDATE wallet_action SET status = 'failed', ended_at = ?, error = 'The account was restored from a backup.' WHERE ended_at IS NULL",
    now(),
  )
}
