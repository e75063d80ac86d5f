import type { z } from 'zod'
import { mailboxOf } from '#domain/email.ts'
import type { ChangeRole, Invitation, InvitePerson, JoinedAccount, Member } from '#schemas/people.ts'
import type { Deps, Person } from '../appEnv.ts'
import { keepAccount } from '../backup/accounts.ts'
import { countAttempt } from '../db/attempts.ts'
import { joinedAccounts } from '../db/memberships.ts'
import type { UserRow } from '../db/schema.ts'
import { findUser } from '../db/users.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { memberOfInvitation, mintInvitation } from '../identity/credentials.ts'
import { newId } from '../identity/secrets.ts'
import { invitationMessage } from '../notifications/peopleMessages.ts'
import { unwrap } from '../result.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { counterOf } from './attemptLimits.ts'

/** Invites an address and mails the link. If the mail cannot be sent, nobody is invited. */
export async function invitePerson(
  { deps, accountId, treasury }: Person,
  { email, role }: z.output<typeof InvitePerson>,
  passwordChecked: boolean,
): Promise<Member> {
  const { env, db, now, messageProvider } = deps
  // Its Treasury says to others whose account it is.
  await keepAccount(env, db, accountId)
  // Before an earlier invitation ends; what is refused for want of the password counts nothing.
  if (passwordChecked) await countInvitation(deps, email)
  const memberId = newId('mem')
  const { token, hash } = mintInvitation(env, { accountId, memberId }, now())
  const member = unwrap(await treasury.people().invite({ id: memberId, tokenHash: hash, email, role, passwordChecked }))
  try {
    const { account } = await treasury.people().list()
    await messageProvider.send(
      invitationMessage({ id: memberId, to: email, role, account, token, appOrigin: env.APP_ORIGIN }),
    )
  } catch (error) {
    await treasury.people().remove(memberId)
    throw error
  }
  return member
}

async function countInvitation({ db, now }: Deps, email: string): Promise<void> {
  const counter = counterOf('invitation', mailboxOf(email))
  const { count, resetsAt } = await countAttempt(db, counter, now())
  if (count > counter.max)
    throw new AppError(
      'rate_limited',
      `This address has been invited ${counter.max} times within a day. Try again tomorrow.`,
      { field: 'email', retryAfter: Math.max(1, Math.ceil((resetsAt - now()) / 1000)) },
    )
}

export const changeRole = async (
  { treasury }: Person,
  id: string,
  { role }: z.output<typeof ChangeRole>,
  passwordChecked: boolean,
): Promise<Member> => unwrap(await treasury.people().changeRole(id, { role, passwordChecked }))

export const accountsOf = ({ deps, personId }: Person): Promise<JoinedAccount[]> => joinedAccounts(deps.db, personId)

export async function readInvitation({ deps, personId }: Person, token: string): Promise<Invitation> {
  const { named, treasury } = invitedBy(deps, token)
  const { email } = await confirmedUser(deps, personId)
  return unwrap(await treasury.people().invitation(named, email))
}

/** Whether the token is an open invitation to this address. */
export async function isInvited({ env }: Deps, { token, email }: { token: string; email: string }): Promise<boolean> {
  const found = namedBy(env, token)
  return found !== null && (await found.treasury.people().isInvited(found.named, email))
}

/** The person becomes a member of the account that the token names. */
export async function joinAccount({ deps, personId }: Person, token: string): Promise<{ accountId: string }> {
  const { named, treasury } = invitedBy(deps, token)
  const { email, name } = await confirmedUser(deps, personId)
  return unwrap(await treasury.people().join({ ...named, person: { id: personId, email, name } }))
}

function invitedBy({ env }: Deps, token: string) {
  const found = namedBy(env, token)
  if (!found) throw new AppError('not_found', 'This is not an invitation. Copy the whole link of the email.')
  return found
}

/** The Treasury is addressed only by a token that we issued; null for any other. */
function namedBy(env: Env, token: string) {
  const found = memberOfInvitation(env, token)
  if (!found) return null
  const { accountId, memberId: id, tokenHash } = found
  return { named: { id, tokenHash }, treasury: treasuryOf(env, accountId) }
}

/** Whoever has chosen a password after a mail to this address, or confirmed it with a code, owns it. */
async function confirmedUser({ db }: Deps, personId: Person['personId']): Promise<UserRow> {
  const user = await findUser(db, personId)
  if (!user) throw new AppError('not_found', 'User not found.')
  if (user.status !== 'CONFIRMED')
    throw new AppError('forbidden', 'Choose your own password first. Then open the invitation again.')
  return user
}
