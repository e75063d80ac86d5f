import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { type UserRestoreRow, userRestore } from './schema.ts'

const isOpen = (userId: string) => and(eq(userRestore.userId, userId), isNull(userRestore.endedAt))

export const openRestore = async (db: Db, userId: string): Promise<UserRestoreRow | null> =>
  (await db.select().from(userRestore).where(isOpen(userId)).get()) ?? null

export const openRestores = (db: Db): Promise<UserRestoreRow[]> =>
  db.select().from(userRestore).where(isNull(userRestore.endedAt)).orderBy(asc(userRestore.startedAt))

/** Higher than the row's, also if an earlier row of the account was lost. */
const nextVersion = (now: number) => sql`max(${now}, ${userRestore.version} + 1)`

/** Starts a restore, unless one is in progress. */
export async function startRestore(db: Db, userId: string, id: string, now: number): Promise<void> {
  const fresh = { id, startedAt: now, frozenAt: null, endedAt: null }
  await db
    .insert(userRestore)
    .values({ userId, ...fresh, version: now })
    .onConflictDoUpdate({
      target: userRestore.userId,
      set: { ...fresh, version: nextVersion(now) },
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
    .set({ endedAt: now, version: nextVersion(now) })
    .where(and(isOpen(userId), eq(userRestore.id, id)))
}
