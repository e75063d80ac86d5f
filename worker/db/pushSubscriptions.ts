import { and, desc, eq, inArray, ne, notInArray, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { type PushSubscriptionRow, pushSubscription } from './schema.ts'

/** Stores a subscription, even if another user had it, and keeps only the user's `most` recently seen. One transaction. */
export async function putPushSubscription(
  db: Db,
  row: Omit<PushSubscriptionRow, 'createdAt'>,
  most: number,
): Promise<void> {
  const { id, ...rest } = row
  const kept = db
    .select({ id: pushSubscription.id })
    .from(pushSubscription)
    .where(eq(pushSubscription.userId, row.userId))
    .orderBy(desc(sql`${pushSubscription.id} = ${id}`), desc(pushSubscription.seenAt))
    .limit(most)
  await db.batch([
    db
      .insert(pushSubscription)
      .values({ ...row, createdAt: row.seenAt })
      .onConflictDoUpdate({ target: pushSubscription.id, set: rest }),
    db
      .delete(pushSubscription)
      .where(and(eq(pushSubscription.userId, row.userId), notInArray(pushSubscription.id, kept))),
  ])
}

export const pushSubscriptionsOf = (db: Db, userId: string): Promise<PushSubscriptionRow[]> =>
  db.select().from(pushSubscription).where(eq(pushSubscription.userId, userId)).orderBy(desc(pushSubscription.seenAt))

export async function findPushSubscription(db: Db, userId: string, id: string): Promise<PushSubscriptionRow | null> {
  const own = and(eq(pushSubscription.id, id), eq(pushSubscription.userId, userId))
  return (await db.select().from(pushSubscription).where(own).get()) ?? null
}

export async function deletePushSubscriptions(db: Db, userId: string, ids: string[]): Promise<void> {
  await db.delete(pushSubscription).where(and(eq(pushSubscription.userId, userId), inArray(pushSubscription.id, ids)))
}

/** After a password change: deletes the subscriptions of all sessions but one. */
export async function deleteOtherPushSubscriptions(
  db: Db,
  userId: string,
  keepSessionId: string | null,
): Promise<void> {
  const others = keepSessionId === null ? undefined : ne(pushSubscription.sessionId, keepSessionId)
  await db.delete(pushSubscription).where(and(eq(pushSubscription.userId, userId), others))
}
