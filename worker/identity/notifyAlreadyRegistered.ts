import type { Deps } from '../appEnv.ts'
import { findUserByEmail } from '../db/users.ts'
import { alreadyRegisteredMessage } from '../notifications/accountMessages.ts'

/** Mails the owner of an account that someone signed up with the same email address. */
export async function notifyAlreadyRegistered(deps: Deps, email: string): Promise<void> {
  const { env, db, messageProvider, now } = deps
  const user = await findUserByEmail(db, email)
  if (!user) return
  const { id: userId, name } = user
  await messageProvider.send(
    alreadyRegisteredMessage({ userId, to: email, name, appOrigin: env.APP_ORIGIN, now: now() }),
  )
}
