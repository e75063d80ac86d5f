import { desc, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { operatorAction } from './schema.ts'

export type OperatorActionRow = typeof operatorAction.$inferSelect

export async function insertOperatorAction(db: Db, row: OperatorActionRow): Promise<void> {
  await db.insert(operatorAction).values(row)
}

/** Newest first. */
export const listOperatorActions = (db: Db, limit: number): Promise<OperatorActionRow[]> =>
  db.select().from(operatorAction).orderBy(desc(sql`rowid`)).limit(limit)
