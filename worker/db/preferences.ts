import { and, eq } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { preferences } from './schema.ts'

/** The stored JSON, or null if the user has stored nothing. */
export async function readPreferences(db: Db, userId: string): Promise<string | null> {
  const row = await db.select({ body: preferences.body }).from(preferences).where(eq(preferences.userId, userId)).get()
  return row?.body ?? null
}

/** Replaces the stored JSON, unless it is no longer `before` (null: nothing is stored). Returns whether it was replaced. */
export async function replacePreferences(
  db: Db,
  userId: string,
  { before, after }: { before: string | null; after: string },
  now: number,
): Promise<boolean> {
  const written =
    before === null
      ? await db.insert(preferences).values({ userId, body: after, updatedAt: now }).onConflictDoNothing().returning()
      : await db
          .update(preferences)
          .set({ body: after, updatedAt: now })
          .where(and(eq(preferences.userId, userId), eq(preferences.body, before)))
          .returning()
  return written.length > 0
}
