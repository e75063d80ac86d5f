import type { Person } from '../appEnv.ts'
import { isLoginSessionOpen } from '../db/loginSessions.ts'
import { AppError, endedSession } from '../errors.ts'

/** Asks D1. Throws `unauthenticated` if the login session has ended. */
export async function requireOpenSession({
  deps,
  userId,
  loginSessionId,
}: Pick<Person, 'deps' | 'userId' | 'loginSessionId'>): Promise<void> {
  if (!(await isLoginSessionOpen(deps.db, loginSessionId, userId, deps.now())))
    throw new AppError('unauthenticated', endedSession)
}
