import type { Person } from '../appEnv.ts'
import { isLoginSessionOpen } from '../db/loginSessions.ts'
import { AppError, endedSession } from '../errors.ts'

/** Asks D1. Throws `unauthenticated` if the login session has ended. */
export async function requireOpenSession({
  deps,
  personId,
  loginSessionId,
}: Pick<Person, 'deps' | 'personId' | 'loginSessionId'>): Promise<void> {
  if (!(await isLoginSessionOpen(deps.db, loginSessionId, personId, deps.now())))
    throw new AppError('unauthenticated', endedSession)
}
