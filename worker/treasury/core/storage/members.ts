import type { PersonId } from '#domain/accounts.ts'
import type { MemberRow } from './memberTable.ts'
import type { Store } from './store.ts'

/** The member or the invitation with this id; null once it has ended. */
export const presentMember = (store: Store, id: string): MemberRow | null =>
  store.first<MemberRow>("SELECT * FROM member WHERE id = ? AND status <> 'ended'", id)

export const memberOfPerson = (store: Store, personId: string): MemberRow | null =>
  store.first<MemberRow>("SELECT * FROM member WHERE person_id = ? AND status = 'active'", personId as PersonId)
