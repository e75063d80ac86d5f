import type { Deps } from '../appEnv.ts'
import * as sessions from '../db/loginSessions.ts'
import { deleteOtherPushSubscriptions } from '../db/pushSubscriptions.ts'
import { AppError } from '../errors.ts'
import { treasuryOf } from '../treasuryOf.ts'

type SessionDeps = Pick<Deps, 'env' | 'db' | 'now'>

/**
 * Ends the user's sessions except `keepSessionId`, everywhere once this returns. Their browsers no longer receive push
 * messages. Throws `unavailable` if the Treasury does not know yet; a repeated call then tells it.
 */
export async function endOtherLoginSessions(
  deps: SessionDeps,
  userId: string,
  keepSessionId: string | null,
): Promise<void> {
  const ended = await sessions.revokeOtherLoginSessions(deps.db, userId, keepSessionId, deps.now())
  await deleteOtherPushSubscriptions(deps.db, userId, keepSessionId)
  await tellTreasury(deps, userId, ended)
}

/**
 * Tells the Treasury which of the user's sessions have ended in the last hour. Run before an act that cannot be repeated and
 * that ends sessions, it also makes sure that the Treasury can be told.
 */
export const syncEndedSessions = async (deps: SessionDeps, userId: string): Promise<void> =>
  tellTreasury(deps, userId, await sessions.endedLoginSessions(deps.db, userId, deps.now()))

/** Tells the Treasury of the user that has these sessions. */
export async function tellTreasury(
  { env }: Pick<Deps, 'env'>,
  userId: string | undefined,
  ended: sessions.EndedSession[],
): Promise<void> {
  if (userId === undefined) return
  try {
    await treasuryOf(env, userId).endSessions(ended.map(({ id }) => id))
  } catch (cause) {
    const message = 'Not all sessions could be ended yet. Please try again.'
    throw new AppError('unavailable', message, { retryAfter: 2, cause })
  }
}
