import { deleteMembership, writeMembership as writeRow } from '../../../db/memberships.ts'
import { within } from '../../../durable/within.ts'
import type { Context } from '../../core/context.ts'
import type { MemberRow } from '../../core/storage/memberTable.ts'
import { type Entry, markSent } from '../entries.ts'

/** Whoever is removed is refused without D1, and the owner does not wait for it longer. */
const timeoutMs = 2_000 // 2 seconds

/** Writes to D1 that a person is a member, or no longer: their calls begin there, and are decided by the Treasury. */
export async function writeMembership({ store, db, userId, ...ctx }: Context, entry: Entry): Promise<void> {
  const row = store.first<MemberRow>('SELECT * FROM member WHERE id = ?', entry.ref)
  const personId = row?.person_id ?? null
  if (personId !== null) {
    const isMember = store.count("member WHERE person_id = ? AND status = 'active'", personId) > 0
    await within(timeoutMs, () => (isMember ? writeRow : deleteMembership)(db, personId, userId))
  }
  markSent({ store, db, userId, ...ctx }, entry)
}
