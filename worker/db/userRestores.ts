import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { type UserRestoreRow, user, userRestore, userSuspension } from './schema.ts'

const isOpen = (userId: string) => and(eq(userRestore.userId, userId), isNull(userRestore.endedAt))

export const openRestore = async (db: Db, userId: string): Promise<UserRestoreRow | null> =>
  (await db.select().from(userRestore).where(isOpen(userId)).get()) ?? null

/** Oldest first. */
export const openRestores = (db: Db): Promise<UserRestoreRow[]> =>
  db.select().from(userRestore).where(isNull(userRestore.endedAt)).orderBy(asc(userRestore.startedAt))

/** Higher than the row's, also if an earlier row of the account was lost. */
const nextVersion = (now: number) => sql`max(${now}, ${userRestore.version} + 1)`

/** Freezes an account, unless it is frozen or being restored. */
export async function startRestore(db: Db, userId: string, id: string, now: number): Promise<void> {
  const fresh = {
    id,
    state: 'frozen',
    step: 0,
    startedAt: now,
    frozenAt: null,
    confirmed: null,
    isLost: false,
  } as const
  const none = { progress: null, endedAt: null }
  await db
    .insert(userRestore)
    .values({ userId, ...fresh, ...none, version: now })
    .onConflictDoUpdate({
      target: userRestore.userId,
      set: { ...fresh, ...none, version: nextVersion(now) },
      setWhere: sql`${userRestore.endedAt} IS NOT NULL`,
    })
}

type Change = Partial<Pick<UserRestoreRow, 'state' | 'progress' | 'frozenAt' | 'confirmed' | 'isLost'>>

/** Changes the row if it is still as it was read. `endedAt` (ms) ends the restore. Returns false if another caller was first. */
export async function changeRestore(
  db: Db,
  { userId, id, step }: UserRestoreRow,
  change: Change,
  endedAt: number | null = null,
): Promise<boolean> {
  const end = endedAt === null ? {} : { endedAt, version: nextVersion(endedAt) }
  const { meta } = await db
    .update(userRestore)
    .set({ ...change, ...end, step: step + 1 })
    .where(and(isOpen(userId), eq(userRestore.id, id), eq(userRestore.step, step)))
  return meta.changes > 0
}

/** D1's data about the account itself, from which its Treasury is brought up to date. */
export async function accountRows(db: Db, userId: string) {
  const [owner, suspension] = await db.batch([
    db.select().from(user).where(eq(user.id, userId)),
    db.select().from(userSuspension).where(eq(userSuspension.userId, userId)),
  ])
  return { owner: owner[0] ?? null, suspension: suspension[0] ?? null }
}
