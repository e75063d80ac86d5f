import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { accountCode, addressNonce, attempt, loginChallenge, session } from './accounts.ts'
import type { Db } from './session.ts'

/**
 * Count one attempt under `key` and answer the count of the running window. One statement, so parallel calls add up.
 * The first `sliding` attempts of a window each begin it anew, so that no span of `windowMs` ever holds more of them.
 */
export async function countAttempt(
  db: Db,
  key: string,
  windowMs: number,
  now: number,
  sliding = 0,
): Promise<{ count: number; resetsAt: number }> {
  const over = sql`${attempt.resetsAt} <= ${now}`
  const row = await db
    .insert(attempt)
    .values({ key, count: 1, resetsAt: now + windowMs })
    .onConflictDoUpdate({
      target: attempt.key,
      set: {
        count: sql`CASE WHEN ${over} THEN 1 ELSE ${attempt.count} + 1 END`,
        resetsAt: sql`CASE WHEN ${over} OR ${attempt.count} < ${sliding} THEN ${now + windowMs} ELSE ${attempt.resetsAt} END`,
      },
    })
    .returning({ count: attempt.count, resetsAt: attempt.resetsAt })
    .get()
  return row
}

/** Whether anything was counted under `key` in its running window. */
export async function hasAttempts(db: Db, key: string, now: number): Promise<boolean> {
  const row = await db
    .select({ key: attempt.key })
    .from(attempt)
    .where(and(eq(attempt.key, key), gt(attempt.resetsAt, now)))
    .get()
  return row !== undefined
}

export async function forgetAttempts(db: Db, key: string): Promise<void> {
  await db.delete(attempt).where(eq(attempt.key, key))
}

/** Housekeeping of everything that has run out. Rows go with their session by foreign key. */
export async function deleteRunOut(db: Db, now: number): Promise<void> {
  await db.batch([
    db.delete(attempt).where(lt(attempt.resetsAt, now)),
    db.delete(loginChallenge).where(lt(loginChallenge.expiresAt, now)),
    db.delete(accountCode).where(lt(accountCode.expiresAt, now)),
    db.delete(addressNonce).where(lt(addressNonce.expiresAt, now)),
    db.delete(session).where(lt(session.expiresAt, now)),
  ])
}
