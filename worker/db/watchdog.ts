import { and, eq, inArray, isNull, lt, notInArray } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { busyTreasury, userRestore, webhookWork } from './schema.ts'

export async function markBusy(db: Db, userId: string, since: number): Promise<void> {
  await db
    .insert(busyTreasury)
    .values({ userId, since })
    .onConflictDoUpdate({ target: busyTreasury.userId, set: { since } })
}

export async function markIdle(db: Db, userId: string): Promise<void> {
  await db.delete(busyTreasury).where(eq(busyTreasury.userId, userId))
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

/** Stores when the user's WebhookSender is next due (ms); null if it has nothing to deliver. */
export async function writeWebhookWork(db: Db, userId: string, dueAt: number | null): Promise<void> {
  if (dueAt === null) await db.delete(webhookWork).where(eq(webhookWork.userId, userId))
  else
    await db
      .insert(webhookWork)
      .values({ userId, dueAt })
      .onConflictDoUpdate({ target: webhookWork.userId, set: { dueAt } })
}

/** Number of WebhookSenders that were due before `before` (ms) and have not rescheduled since. */
export const countLateSenders = (db: Db, before: number): Promise<number> =>
  db.$count(webhookWork, lt(webhookWork.dueAt, before))

type Overdue = { before: number; now: number; limit: number }

/**
 * Returns up to `limit` user ids of Treasuries that have been busy since before `before` (ms) and marks them as woken at
 * `now`. Least recently woken first, so that a Treasury that cannot recover does not delay the others.
 */
export const takeOverdue = (db: Db, overdue: Overdue): Promise<string[]> =>
  take(db, busyTreasury, busyTreasury.since, overdue)

/** The same for WebhookSenders that were due before `before` (ms). */
export const takeLateSenders = (db: Db, late: Overdue): Promise<string[]> =>
  take(db, webhookWork, webhookWork.dueAt, late)

async function take(
  db: Db,
  table: typeof busyTreasury | typeof webhookWork,
  dueAt: typeof busyTreasury.since | typeof webhookWork.dueAt,
  { before, now, limit }: Overdue,
): Promise<string[]> {
  const { userId, pokedAt } = table
  const late = db.select({ userId }).from(table).where(lt(dueAt, before)).orderBy(pokedAt, dueAt).limit(limit)
  const rows = await db.update(table).set({ pokedAt: now }).where(inArray(userId, late)).returning({ userId })
  return rows.map((row) => row.userId)
}
