import { eq, lt, sql } from 'drizzle-orm'
import { attempt, loginChallenge, session } from './accounts.ts'
import type { Db } from './session.ts'

/** Count one attempt under `key` and answer the count of the running window. One statement, so parallel calls add up. */
export async function countAttempt(
  db: Db,
  key: string,
  windowMs: number,
  now: number,
): Promise<{ count: number; resetsAt: number }> {
  const over = sql`${attempt.resetsAt} <= ${now}`
  const row = await db
    .insert(attempt)
    .values({ key, count: 1, resetsAt: now + windowMs })
    .onConflictDoUpdate({
      target: attempt.key,
      set: {
        count: sql`CASE WHEN ${over} THEN 1 ELSE ${attempt.count} + 1 END`,
        resetsAt: sql`CASE WHEN ${over} THEN ${now + windowMs} ELSE ${attempt.resetsAt} END`,
      },
    })
    .returning({ count: attempt.count, resetsAt: attempt.resetsAt })
    .get()
  return row
}

export async function forgetAttempts(db: Db, key: string): Promise<void> {
  await db.delete(attempt).where(eq(attempt.key, key))
}

/** Housekeeping of everything that has run out. Rows go with their session by foreign key. */
export async function deleteRunOut(db: Db, now: number): Promise<void> {
  await db.batch([
    db.delete(attempt).where(lt(attempt.resetsAt, now)),
    db.delete(loginChallenge).where(lt(loginChallenge.expiresAt, now)),
    db.delete(session).where(lt(session.expiresAt, now)),
  ])
}
