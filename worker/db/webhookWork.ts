import { eq, inArray, lt } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { webhookWork } from './schema.ts'

/** When the user's WebhookSender means to go on (ms); null: nothing waits. */
export async function writeWebhookWork(db: Db, userId: string, dueAt: number | null): Promise<void> {
  if (dueAt === null) await db.delete(webhookWork).where(eq(webhookWork.userId, userId))
  else
    await db
      .insert(webhookWork)
      .values({ userId, dueAt })
      .onConflictDoUpdate({ target: webhookWork.userId, set: { dueAt } })
}

/** How many WebhookSenders meant to go on before `before` (ms) and have not said since when they will. */
export const countLateSenders = (db: Db, before: number): Promise<number> =>
  db.$count(webhookWork, lt(webhookWork.dueAt, before))

/**
 * User ids of WebhookSenders that meant to go on before `before` (ms), at most `limit`; they count as woken `now`. The one
 * that was woken longest ago comes first.
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
