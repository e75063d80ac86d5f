import type { Deps } from '../appEnv.ts'
import type { SignupRow } from '../db/schema.ts'
import { findUserByEmail } from '../db/users.ts'
import { alreadyRegisteredMessage } from '../notifications/accountMessages.ts'
import { sha256 } from './secrets.ts'

/** Mails the owner of an account that someone signed up with the same email address. */
export async function notifyAlreadyRegistered(deps: Deps, email: string): Promise<void> {
  const { env, db, messageProvider, now } = deps
  const user = await findUserByEmail(db, email)
  if (!user) return
  const { id: userId } = user
  await messageProvider.send(alreadyRegisteredMessage({ userId, to: email, appOrigin: env.APP_ORIGIN, now: now() }))
}

/**
 * The sign-up whose password a confirmation keeps, or undefined if all are discarded. Anyone can sign up any address, so
 * without a token a sign-up counts as the caller's own only if it is the address's only one.
 */
export function signupToConfirm(signups: SignupRow[], signupToken: string | undefined): SignupRow | undefined {
  if (signupToken === undefined) return signups.length === 1 ? signups[0] : undefined
  const tokenHash = sha256(signupToken)
  return signups.find((row) => row.tokenHash === tokenHash)
}
