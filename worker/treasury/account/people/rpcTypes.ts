import type { PersonId } from '#domain/accounts.ts'
import type { MemberRole } from '#domain/roles.ts'

/** `id` and `tokenHash` are those of the token in the link. */
export type Invite = { id: string; tokenHash: string; email: string; role: MemberRole; passwordChecked: boolean }
/** The invitation that a token names. */
export type NamedInvitation = { id: string; tokenHash: string }
/** A person whose address is confirmed. */
export type Joining = NamedInvitation & { person: { id: PersonId; email: string; name: string | null } }
