import { and, eq, gt, inArray, lt, lte, notExists, sql } from 'drizzle-orm'
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

/** What is counted under `key`: at most `max` attempts per `windowMs`. */
export type Counter = {
  key: string
  windowMs: number
  max: number
  /** Each of the first `max` attempts restarts the window, so that no span of `windowMs` ever contains more than `max`. */
  slides?: boolean
}
export type Count = { count: number; resetsAt: number }

/**
 * Counts one attempt and returns the count of the current window, which opens with its first attempt. Counts beyond
 * `max` + 1 are no longer written.
 */
export const countAttempt = async (db: Db, counter: Counter, now: number): Promise<Count> =>
  (await countAttempts(db, [counter], now))[0]!

/**
 * Counts one attempt under each key until one is above its maximum, and returns the counts up to that one. One transaction,
 * so that parallel calls are all counted.
 */
export async function countAttempts(db: Db, counters: Counter[], now: number): Promise<Count[]> {
  const isOver = sql`${attempt.resetsAt} <= ${now}`
  const statements = counters.map(({ key, windowMs, max, slides = false }, i) => {
    const previous = counters[i - 1]
    const restarts = slides ? sql`${isOver} OR ${attempt.count} < ${max}` : isOver
    const allowed = previous
      ? sql`NOT EXISTS (SELECT 1 FROM ${attempt} WHERE ${attempt.key} = ${previous.key} AND ${attempt.count} > ${previous.max})`
      : sql`true`
    return db
      .insert(attempt)
      .select(sql`SELECT ${key}, 1, ${now + windowMs} WHERE ${allowed}`)
      .onConflictDoUpdate({
        target: attempt.key,
        set: {
          count: sql`CASE WHEN ${isOver} THEN 1 ELSE ${attempt.count} + 1 END`,
          resetsAt: sql`CASE WHEN ${restarts} THEN ${now + windowMs} ELSE ${attempt.resetsAt} END`,
        },
        setWhere: sql`${isOver} OR ${attempt.count} <= ${max}`,
      })
  })
  const keys = counters.map(({ key }) => key)
  const read = db.select().from(attempt).where(inArray(attempt.key, keys))
  const results = await db.batch([statements[0]!, ...statements.slice(1), read])
  const rows = results.at(-1) as (typeof attempt.$inferSelect)[]
  const counts: Count[] = []
  for (const { key, max } of counters) {
    const { count, resetsAt } = rows.find((row) => row.key === key)!
    counts.push({ count, resetsAt })
    if (count > max) break
  }
  return counts
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
