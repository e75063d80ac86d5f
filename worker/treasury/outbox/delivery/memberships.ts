import { deleteMembership, writeMembership as writeRow } from '../../../db/memberships.ts'
import type { Context } from '../../core/context.ts'
import type { MemberRow } from '../../core/storage/memberTable.ts'
import { type Entry, markSent } from '../entries.ts'

/** Writes to D1 that a person is a member, or no longer: their calls begin there, and are decided by the Treasury. */
export async function writeMembership({ store, db, userId, ...ctx }: Context, entry: Entry): Promise<void> {
  const row = store.first<MemberRow>('SELECT * FROM member WHERE id = ?', entry.ref)
  const personId = row?.person_id ?? null
  if (personId !== null) {
    const isMember = store.count("member WHERE person_id = ? AND status = 'active'", personId) > 0
    if (isMember) await writeRow(db, personId, userId)
    else await deleteMembership(db, personId, userId)
  }
  markSent({ store, db, userId, ...ctx }, entry)
}
