import { inArray } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { accountCode, accountLink, addressNonce, loginChallenge, loginSession, pushSubscription } from './schema.ts'

/** Limit of one call. */
const maxRows = 1_000

/**
 * Ends up to a thousand login sessions and push subscriptions each, and all codes and links: a database restored to an
 * earlier time has some that were ended or used since. Returns the numbers of ended sessions and of rows left. `isDry` only
 * counts.
 */
export async function endSessions(db: Db, isDry: boolean): Promise<{ ended: number; left: number }> {
  const count = async () => (await db.$count(loginSession)) + (await db.$count(pushSubscription))
  if (isDry) return { ended: await db.$count(loginSession), left: 0 }
  const [ended] = await db.batch([
    db
      .delete(loginSession)
      .where(inArray(loginSession.id, db.select({ id: loginSession.id }).from(loginSession).limit(maxRows)))
      .returning({ id: loginSession.id }),
    db
      .delete(pushSubscription)
      .where(
        inArray(pushSubscription.id, db.select({ id: pushSubscription.id }).from(pushSubscription).limit(maxRows)),
      ),
    db.delete(loginChallenge),
    db.delete(accountCode),
    db.delete(accountLink),
    db.delete(addressNonce),
  ])
  return { ended: ended.length, left: await count() }
}
