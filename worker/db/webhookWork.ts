import { eq, inArray, lt } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { webhookWork } from './schema.ts'

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

/**
 * Returns up to `limit` user ids of WebhookSenders that were due before `before` (ms) and marks them as woken at `now`.
 * Least recently woken first.
 */
export async function takeLateSenders(db: Db, before: number, now: number, limit: number): Promise<string[]> {
  const late = db
    .select({ userId: webhookWork.userId })
    .from(webhookWork)
    .where(lt(webhookWork.dueAt, before))
    .orderBy(webhookWork.pokedAt, webhookWork.dueAt)
    .limit(limit)
  const rows = await db
    .update(webhookWork)
    .set({ pokedAt: now })
    .where(inArray(webhookWork.userId, late))
    .returning({ userId: webhookWork.userId })
  return rows.map(({ userId }) => userId)
}
