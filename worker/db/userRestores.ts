import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import type { ServiceStop } from './operatorControls.ts'
import { type UserRestoreRow, userRestore } from './schema.ts'

const isOpen = (userId: string) => and(eq(userRestore.userId, userId), isNull(userRestore.endedAt))

/** Reads, in one query, the operators' stop for all accounts and the id of this account's open restore (or null). */
export async function readTreasuryStop(db: Db, userId: string): Promise<ServiceStop & { restoreId: string | null }> {
  const row = await db.get<{ mode: ServiceStop['mode'] | null; since: number | null; restoreId: string | null }>(
    sql`SELECT (SELECT mode FROM service_stop) AS mode, (SELECT since FROM service_stop) AS since,
          (SELECT id FROM ${userRestore} WHERE ${isOpen(userId)}) AS restoreId`,
  )
  return { mode: row?.mode ?? 'none', since: row?.since ?? null, restoreId: row?.restoreId ?? null }
}

export const openRestore = async (db: Db, userId: string): Promise<UserRestoreRow | null> =>
  (await db.select().from(userRestore).where(isOpen(userId)).get()) ?? null

export const openRestores = (db: Db): Promise<UserRestoreRow[]> =>
  db.select().from(userRestore).where(isNull(userRestore.endedAt)).orderBy(asc(userRestore.startedAt))

/** Starts a restore, unless one is in progress. */
export async function startRestore(db: Db, userId: string, id: string, now: number): Promise<void> {
  const fresh = { id, startedAt: now, frozenAt: null, endedAt: null }
  await db
    .insert(userRestore)
    .values({ userId, ...fresh })
    .onConflictDoUpdate({
      target: userRestore.userId,
      set: fresh,
      setWhere: sql`${userRestore.endedAt} IS NOT NULL`,
    })
}

export async function recordFrozen(db: Db, userId: string, now: number): Promise<void> {
  await db
    .update(userRestore)
    .set({ frozenAt: now })
    .where(and(isOpen(userId), isNull(userRestore.frozenAt)))
}

export async function endRestore(db: Db, userId: string, id: string, now: number): Promise<void> {
  await db
    .update(userRestore)
    .set({ endedAt: now })
    .where(and(isOpen(userId), eq(userRestore.id, id)))
}
