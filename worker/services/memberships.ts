import { type AccountId, ownAccount, type PersonId } from '#domain/accounts.ts'
import type { Deps } from '../appEnv.ts'
import { primaryDb } from '../db/d1.ts'
import { readMembership } from '../db/memberships.ts'
import { within } from '../durable/within.ts'
import { AppError, endedSession } from '../errors.ts'
import { logError } from '../observability/log.ts'

/** The account that a request names in X-Account-ID; the person's own without it. */
export const namedAccount = (named: string | undefined, personId: PersonId): AccountId =>
  named === undefined ? ownAccount(personId) : (named as AccountId)

/** How long D1 has to say whether a person is a member. */
const answerMs = 4_000 // 4 seconds

const accountNotFound = () => new AppError('not_found', 'Account not found.')

/**
 * Requires an open session, and a person who is not suspended and was a member of this account of somebody else when D1's primary
 * was read. No object is addressed before: an invented id must not create one. The account's Treasury decides afterwards.
 */
export async function requireMembership(
  { env, now }: Deps,
  { personId, accountId, sessionId }: { personId: PersonId; accountId: AccountId; sessionId: string },
): Promise<void> {
  if (!/^[\w-]{1,100}$/.test(accountId)) throw accountNotFound()
  const question = { personId, accountId, sessionId, now: now() }
  const found = await within(answerMs, () => readMembership(primaryDb(env.DB), question)).catch((cause: unknown) => {
    logError('membership_not_read', { user: personId }, cause)
    throw new AppError('unavailable', 'Accounts of others can’t be opened right now. Please try again in a minute.', {
      retryAfter: 30,
      cause,
    })
  })
  if (!found.isSignedIn) throw new AppError('unauthenticated', endedSession)
  if (!found.isMember) throw accountNotFound()
  if (found.isSuspended)
    throw new AppError('account_suspended', 'The operator has suspended you: you can’t act for accounts of others.')
}
