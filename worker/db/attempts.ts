import { and, eq, gt, lt, lte, notExists, sql } from 'drizzle-orm'
import { dayMs } from '#domain/time.ts'
import type { Db } from './d1.ts'
import {
  accountCode,
  accountLink,
  addressNonce,
  attempt,
  loginChallenge,
  loginSession,
  signup,
  user,
} from './schema.ts'

/**
 * Counts one attempt under `key` and returns the count of the current window, which opens with its first attempt. Uses one
 * statement, so that parallel calls are all counted. Each of the first `sliding` attempts of a window also restarts the
 * window, so that no span of `windowMs` ever contains more than that many.
 */
export async function countAttempt(
  db: Db,
  key: string,
  windowMs: number,
  now: number,
  sliding = 0,
): Promise<{ count: number; resetsAt: number }> {
  const isOver = sql`${attempt.resetsAt} <= ${now}`
  return db
    .insert(attempt)
    .values({ key, count: 1, resetsAt: now + windowMs })
    .onConflictDoUpdate({
      target: attempt.key,
      set: {
        count: sql`CASE WHEN ${isOver} THEN 1 ELSE ${attempt.count} + 1 END`,
        resetsAt: sql`CASE WHEN ${isOver} OR ${attempt.count} < ${sliding} THEN ${now + windowMs} ELSE ${attempt.resetsAt} END`,
      },
    })
    .returning({ count: attempt.count, resetsAt: attempt.resetsAt })
    .get()
}

/** Whether anything was counted under `key` in the current window. */
export async function hasAttempts(db: Db, key: string, now: number): Promise<boolean> {
  return (await db.$count(attempt, and(eq(attempt.key, key), gt(attempt.resetsAt, now)))) > 0
}

/** Takes one attempt back because it turned out to be right. The window does not change. */
export async function takeBackAttempt(db: Db, key: string): Promise<void> {
  await db.batch([
    db.delete(attempt).where(and(eq(attempt.key, key), lte(attempt.count, 1))),
    db
      .update(attempt)
      .set({ count: sql`${attempt.count} - 1` })
      .where(and(eq(attempt.key, key), gt(attempt.count, 1))),
  ])
}

export async function resetAttempts(db: Db, key: string): Promise<void> {
  await db.delete(attempt).where(eq(attempt.key, key))
}

/** An unconfirmed account is deleted this long after its last sign-up. */
export const unconfirmedMs = 7 * dayMs

/** Housekeeping. Foreign keys delete refresh tokens with their session, and sign-ups with their account. */
export async function deleteExpired(db: Db, now: number): Promise<void> {
  await db.batch([
    db.delete(attempt).where(lt(attempt.resetsAt, now)),
    db.delete(loginChallenge).where(lt(loginChallenge.expiresAt, now)),
    db.delete(accountCode).where(lt(accountCode.expiresAt, now)),
    db.delete(accountLink).where(lt(accountLink.expiresAt, now)),
    db.delete(user).where(and(eq(user.status, 'UNCONFIRMED'), lt(user.updatedAt, now - unconfirmedMs))),
    // Keeps an unconfirmed account's sign-ups together: without the first, the second would appear to be the only one.
    db.delete(signup).where(
      and(
        lt(signup.createdAt, now - unconfirmedMs),
        notExists(
          db
            .select({ id: user.id })
            .from(user)
            .where(and(eq(user.id, signup.userId), eq(user.status, 'UNCONFIRMED'))),
        ),
      ),
    ),
    db.delete(addressNonce).where(lt(addressNonce.expiresAt, now)),
    db.delete(loginSession).where(lt(loginSession.expiresAt, now)),
  ])
}
