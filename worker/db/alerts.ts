import { eq, inArray } from 'drizzle-orm'
import type { AlertRow } from '#domain/alerts.ts'
import type { Db } from './d1.ts'
import { alert } from './schema.ts'

export const listAlerts = (db: Db): Promise<AlertRow[]> => db.select().from(alert)

export async function insertAlerts(db: Db, rows: AlertRow[]): Promise<void> {
  if (rows.length > 0) await db.insert(alert).values(rows).onConflictDoNothing()
}

export async function markAnnounced(db: Db, key: string, now: number): Promise<void> {
  await db.update(alert).set({ announcedAt: now }).where(eq(alert.key, key))
}

export async function deleteAlerts(db: Db, keys: string[]): Promise<void> {
  if (keys.length > 0) await db.delete(alert).where(inArray(alert.key, keys))
}
