import { and, eq, inArray, isNull, lt, notInArray } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { busyTreasury, userRestore } from './schema.ts'

export async function markBusy(db: Db, userId: string, since: number): Promise<void> {
  await db
    .insert(busyTreasury)
    .values({ userId, since })
    .onConflictDoUpdate({ target: busyTreasury.userId, set: { since } })
}

export async function markIdle(db: Db, userId: string): Promise<void> {
  await db.delete(busyTreasury).where(eq(busyTreasury.userId, userId))
}

/**
 * Returns up to `limit` user ids of Treasuries that have been busy since before `before` (ms) and marks them as woken at
 * `now`. Least recently woken first, so that a Treasury that cannot recover does not delay the others.
 */
export async function takeOverdue(db: Db, before: number, now: number, limit: number): Promise<string[]> {
  const overdue = db
    .select({ userId: busyTreasury.userId })
    .from(busyTreasury)
    .where(lt(busyTreasury.since, before))
    .orderBy(busyTreasury.pokedAt, busyTreasury.since)
    .limit(limit)
  const rows = await db
    .update(busyTreasury)
    .set({ pokedAt: now })
    .where(inArray(busyTreasury.userId, overdue))
    .returning({ userId: busyTreasury.userId })
  return rows.map((row) => row.userId)
}

/** Busy since before `before` (ms), and not frozen for a restore. */
const overdueSince = (db: Db, before: number) =>
  and(
    lt(busyTreasury.since, before),
    notInArray(
      busyTreasury.userId,
      db.select({ userId: userRestore.userId }).from(userRestore).where(isNull(userRestore.endedAt)),
    ),
  )

/** Number of Treasuries that have been busy since before `before` (ms). */
export const countOverdue = (db: Db, before: number): Promise<number> =>
  db.$count(busyTreasury, overdueSince(db, before))

/** Treasuries that have been busy since before `before` (ms), longest first. */
export const listOverdue = (db: Db, before: number, limit: number): Promise<{ userId: string; since: number }[]> =>
  db
    .select({ userId: busyTreasury.userId, since: busyTreasury.since })
    .from(busyTreasury)
    .where(overdueSince(db, before))
    .orderBy(busyTreasury.since)
    .limit(limit)
