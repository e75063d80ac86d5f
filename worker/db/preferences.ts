import { eq, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { preferences } from './schema.ts'

/** The stored JSON, or null if the user has stored nothing. */
export async function readPreferences(db: Db, userId: string): Promise<string | null> {
  const row = await db.select({ body: preferences.body }).from(preferences).where(eq(preferences.userId, userId)).get()
  return row?.body ?? null
}

/** Replaces the fields that `body` (JSON) has; the others keep their values. */
export async function mergePreferences(db: Db, userId: string, body: string, now: number): Promise<void> {
  await db
    .insert(preferences)
    .values({ userId, body, updatedAt: now })
    .onConflictDoUpdate({
      target: preferences.userId,
      set: { body: sql`json_patch(${preferences.body}, excluded.body)`, updatedAt: now },
    })
}
