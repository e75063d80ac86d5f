import { tabStorage } from './storage.ts'
import { storedUser } from './tokens.ts'

/** An account of somebody else. */
export type OtherAccount = { id: string; name: string | null; ownerEmail: string }
/** What the tab keeps (lib/otherAccount.ts). */
export type Acting = OtherAccount & { personId: string }

export const actingKey = 'acting_for'
const atStart = JSON.parse(tabStorage.get(actingKey) ?? 'null') as Acting | null

/**
 * The account of somebody else for which this document acts; null for the signed-in person's own. It stays the same until the
 * document is loaded again, so that nothing on screen or in memory is ever of two accounts.
 */
export const actingFor = (): OtherAccount | null => (atStart && storedUser()?.id === atStart.personId ? atStart : null)
