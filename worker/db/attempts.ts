import { and, eq, exists, gt, inArray, lt, lte, not, notExists, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { dayMs } from '#domain/time.ts'
import type { Db } from './d1.ts'
import { endedSessionMs } from './loginSessions.ts'
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
 * `max` + 1 are no longer written. One transaction, so that parallel calls are all counted.
 */
export async function countAttempt(db: Db, counter: Counter, now: number): Promise<Count> {
  const [, rows] = await db.batch([counting(db, counter, now), countersIn(db, [counter])])
  return countsFrom([counter], rows)[0]!
}

/**
 * Counts a sign-in under `all`; unless one of these is above its maximum, also under `known` if `knownKey` has attempts in
 * its current window, and under `others` if not. Runs `reads` in the same transaction. `last` is `known` or `others`.
 */
export async function countSignIn<Reads extends BatchItem<'sqlite'>[]>(
  db: Db,
  { all, knownKey, known, others }: { all: Counter[]; knownKey: string; known: Counter; others: Counter },
  reads: Reads,
  now: number,
): Promise<{ counts: Count[]; last: Counter; rows: BatchResponse<Reads> }> {
  const ofKnown = db
    .select({ key: attempt.key })
    .from(attempt)
    .where(and(eq(attempt.key, knownKey), gt(attempt.resetsAt, now)))
  const statements = [
    ...all.map((counter, i) => counting(db, counter, now, { after: all.slice(0, i) })),
    counting(db, known, now, { after: all, onlyIf: exists(ofKnown) }),
    counting(db, others, now, { after: all, onlyIf: notExists(ofKnown) }),
  ]
  const results: unknown[] = await db.batch([ofKnown, ...statements, countersIn(db, [...all, known, others]), ...reads])
  const last = (results[0] as unknown[]).length > 0 ? known : others
  const [attempts, ...rows] = results.slice(1 + statements.length)
  return { counts: countsFrom([...all, last], attempts as AttemptRow[]), last, rows: rows as BatchResponse<Reads> }
}

type AttemptRow = typeof attempt.$inferSelect

/** The statement that counts one attempt, unless a counter in `after` is above its maximum or `onlyIf` does not hold. */
export function counting(
  db: Db,
  { key, windowMs, max, slides = false }: Counter,
  now: number,
  { after = [], onlyIf }: { after?: Counter[]; onlyIf?: SQL } = {},
) {
  const isOver = sql`${attempt.resetsAt} <= ${now}`
  const restarts = slides ? sql`${isOver} OR ${attempt.count} < ${max}` : isOver
  const isAbove = (counter: Counter) =>
    sql`EXISTS (SELECT 1 FROM ${attempt} WHERE ${attempt.key} = ${counter.key} AND ${attempt.count} > ${counter.max})`
  const isAllowed = and(...after.map((counter) => not(isAbove(counter))), onlyIf) ?? sql`true`
  return db
    .insert(attempt)
    .select(sql`SELECT ${key}, 1, ${now + windowMs} WHERE ${isAllowed}`)
    .onConflictDoUpdate({
      target: attempt.key,
      set: {
        count: sql`CASE WHEN ${isOver} THEN 1 ELSE ${attempt.count} + 1 END`,
        resetsAt: sql`CASE WHEN ${restarts} THEN ${now + windowMs} ELSE ${attempt.resetsAt} END`,
      },
      setWhere: sql`${isOver} OR ${attempt.count} <= ${max}`,
    })
}

const countersIn = (db: Db, counters: Counter[]) =>
  db
    .select()
    .from(attempt)
    .where(
      inArray(
        attempt.key,
        counters.map(({ key }) => key),
      ),
    )

/** The counts up to the first one that is above its maximum: those after it were not counted. */
function countsFrom(counters: Counter[], rows: AttemptRow[]): Count[] {
  const counts: Count[] = []
  for (const { key, max } of counters) {
    const { count, resetsAt } = rows.find((row) => row.key === key)!
    counts.push({ count, resetsAt })
    if (count > max) break
  }
  return counts
}

/** Takes one attempt back because it turned out to be right. The window does not change. */
export const takeBackAttempt = async (db: Db, key: string): Promise<void> => {
  await db.batch(takingBack(db, key))
}

export const takingBack = (db: Db, key: string) =>
  [
    db.delete(attempt).where(and(eq(attempt.key, key), lte(attempt.count, 1))),
    db
      .update(attempt)
      .set({ count: sql`${attempt.count} - 1` })
      .where(and(eq(attempt.key, key), gt(attempt.count, 1))),
  ] as const

export async function resetAttempts(db: Db, key: string): Promise<void> {
  await resetting(db, key)
}

export const resetting = (db: Db, key: string) => db.delete(attempt).where(eq(attempt.key, key))

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
    db.delete(loginSession).where(lt(loginSession.expiresAt, now - endedSessionMs)),
  ])
}
