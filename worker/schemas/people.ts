import { z } from 'zod'
import { type MemberRole, memberRoles, type Role } from '#domain/roles.ts'
import { email, ownerPassword, usdcAmount } from './common.ts'

const role = z.enum(memberRoles, `role must be one of: ${memberRoles.join(', ')}`)
/** Of the link in an invitation's email. */
export const invitationToken = z.string().min(1, 'The invitation is missing').max(300, 'This is not an invitation')

/** POST /people. Errors: 409 for an address that is a member, 422 `password_required`, 429 above 5 a day to one address. */
export const InvitePerson = z.strictObject({ email, role, password: ownerPassword })
/** PATCH /people/{id}. A role that may do more than the present one needs the password. */
export const ChangeRole = z.strictObject({ role, password: ownerPassword })
/** PUT /people/second-person. Errors: 422 without an approver, 422 `password_required`. Protecting less takes 24 hours. */
export const SetSecondPerson = z.strictObject({ above: usdcAmount.nullable(), password: ownerPassword })
/** POST /people/invitation and POST /people/join. */
export const NamedInvitation = z.strictObject({ token: invitationToken })

/** A person besides the owner. Times are ISO 8601, UTC; `expiresAt` is that of an invitation. */
export type Member = {
  id: string
  email: string
  name: string | null
  role: MemberRole
  status: 'invited' | 'active'
  invitedAt: string
  joinedAt: string | null
  expiresAt: string | null
  /** From when they are a second person above the limit; null before joining. A later change of their password delays it. */
  decidesFrom: string | null
  /** It is the person who asks. */
  isYou: boolean
}
/** GET /people: the account, the role in it of the person who asks, and who else acts for it, in the order of joining. */
export type People = {
  account: { name: string; ownerEmail: string }
  role: Role
  members: Member[]
  secondPerson: SecondPerson
}
/**
 * Above how much in 24 hours a second person must agree, in decimal USDC; null: nobody must. `next` takes its place at `at`
 * (ISO 8601).
 */
export type SecondPerson = { above: string | null; next: { above: string | null; at: string } | null }
/** An account of somebody else that the signed-in person has joined. */
export type JoinedAccount = { id: string; name: string | null; ownerEmail: string }
/** What an invitation is to. `email`: the address that was invited, masked unless it is that of the person who asks. */
export type Invitation = { account: { id: string; name: string; ownerEmail: string }; role: MemberRole; email: string }
