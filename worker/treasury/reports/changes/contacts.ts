import { ok, type Result, refuse } from '../../../result.ts'
import { endGrants } from '../../approvals/grants.ts'
import type { Context } from '../../core/context.ts'
import { audit } from '../../ledger/audit.ts'
import { spendableOf, takeIncrease } from '../../limits/ownerPassword.ts'
import type { ContactMethods as Methods } from '../../policies/rpcTypes.ts'
import { snapshotDiffers, whitelistRow } from '../../policies/whitelist.ts'

/**
 * Called before a contact changes, or with null before it is deleted. Snapshots that differ become stale, and payments to
 * them are refused until the owner confirms the change; a deleted contact is removed from every whitelist.
 */
export function contactChanged(ctx: Context, contactId: string, now: (Methods & { name?: string }) | null): void {
  const { store } = ctx
  store.transaction(() => {
    const { address = null, email = null, phone = null } = now ?? {}
    store.replace('contact_now', { contact_id: contactId, address, email, phone })
    endGrants(ctx, { column: 'contact_id', id: contactId }, 'contact_changed')
    const groups = store.all<{ id: string }>('SELECT group_id AS id FROM whitelist WHERE contact_id = ?', contactId)
    if (groups.length === 0) return
    if (now === null) {
      const name = store.first<{ name: string }>(
        'SELECT name FROM whitelist WHERE contact_id = ? LIMIT 1',
        contactId,
      )?.name
      store.run('DELETE FROM whitelist WHERE contact_id = ?', contactId)
      audit(store, ctx.now(), 'contact.removed', contactId, { name })
    } else {
      if (now.name !== undefined) store.run('UPDATE whitelist SET name = ? WHERE contact_id = ?', now.name, contactId)
      const stale = store.run(
        `UPDATE whitelist SET stale = 1 FROM contact_now
         WHERE whitelist.contact_id = ? AND contact_now.contact_id = whitelist.contact_id AND stale = 0 AND ${snapshotDiffers}`,
        contactId,
      )
      if (stale > 0) audit(store, ctx.now(), 'contact.stale', contactId, { name: now.name })
    }
    for (const { id } of groups) store.run('UPDATE policy_group SET version = version + 1 WHERE id = ?', id)
  })
}

/** Confirms the contact as the owner has `seen` it: that becomes the snapshot that is paid. */
export function confirmContact(
  ctx: Context,
  groupId: string,
  contactId: string,
  seen: Methods,
  passwordChecked = false,
): Result<null> {
  const { store } = ctx
  return store.transaction((): Result<null> => {
    const group = store.group(groupId)
    const listed = group && whitelistRow(store, groupId, contactId)
    if (!listed) return refuse('not_found', 'This contact is not on the whitelist of the group.')
    const now = store.first<Methods>('SELECT address, email, phone FROM contact_now WHERE contact_id = ?', contactId)
    const same = (a: Methods | null) => a?.address === seen.address && a.email === seen.email && a.phone === seen.phone
    if (listed.stale === 0 && same(listed)) return ok(null)
    if (!same(now))
      return refuse('conflict', 'This contact changed again in the meantime. Review it again before you confirm it.')
    const unconfirmed = takeIncrease(ctx, spendableOf(store, group), passwordChecked)
    if (unconfirmed) return unconfirmed
    store.run(
      'UPDATE whitelist SET address = ?, email = ?, phone = ?, stale = 0 WHERE group_id = ? AND contact_id = ?',
      seen.address,
      seen.email,
      seen.phone,
      groupId,
      contactId,
    )
    store.run('UPDATE policy_group SET version = version + 1 WHERE id = ?', groupId)
    endGrants(ctx, { column: 'contact_id', id: contactId }, 'contact_changed')
    audit(store, ctx.now(), 'contact.confirmed', contactId, {
      name: listed.name,
      group: groupId,
      policyVersion: group!.version + 1,
      before: { address: listed.address, email: listed.email, phone: listed.phone },
      now: seen,
    })
    return ok(null)
  })
}
