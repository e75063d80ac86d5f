import { and, desc, eq, isNotNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { storedEmail } from '#domain/email.ts'
import { isWeaker, stopModes } from '#domain/serviceStop.ts'
import { nothingStopped, type ServiceStop, type StopState } from '#domain/stopState.ts'
import type { Db } from './d1.ts'
import { operatorAction, serviceStop, user, userRestore, userSuspension } from './schema.ts'

/** The operators' record of what is stopped. Stop objects are what Treasuries and Relayers follow. */
export async function readStopRecord(db: Db): Promise<StopState> {
  const [stops, restores] = await db.batch([db.select().from(serviceStop), db.select().from(userRestore)])
  const { mode, since, version } = stops[0] ?? nothingStopped.stop
  const freezes = restores.map(({ userId, id, endedAt, version }) => [
    userId,
    { restoreId: endedAt === null ? id : null, version },
  ])
  return { stop: { mode, since, version }, freezes: Object.fromEntries(freezes) }
}

/** Records the stop, unless a newer one is recorded, and operators' acts that are not recorded yet. */
export async function recordStop(
  db: Db,
  { mode, since, version }: ServiceStop,
  acts: OperatorActionRow[],
): Promise<void> {
  const stronger = stopModes.filter((other) => isWeaker(mode, other))
  const stop = { mode, since: since ?? version, version }
  const { version: recorded } = serviceStop
  await db.batch([
    db
      .insert(serviceStop)
      .values({ one: 1, ...stop })
      .onConflictDoUpdate({
        target: serviceStop.one,
        set: stop,
        setWhere: sql`${lt(recorded, version)} OR (${eq(recorded, version)} AND ${notInArray(serviceStop.mode, stronger)})`,
      }),
    ...acts.map((act) => db.insert(operatorAction).values(act).onConflictDoNothing()),
  ])
}

/** Stores the suspension as the Treasury reports it; ignores older versions. `since` is null if not suspended. */
export async function writeSuspension(
  db: Db,
  userId: string,
  { since, version }: { since: number | null; version: number },
): Promise<void> {
  await db
    .insert(userSuspension)
    .values({ userId, since, version })
    .onConflictDoUpdate({
      target: userSuspension.userId,
      set: { since, version },
      setWhere: lt(userSuspension.version, version),
    })
}

/** 1 if D1's suspension of the account differs from this, otherwise 0. Version 0 means never suspended. */
export async function differingSuspension(
  db: Db,
  userId: string,
  { since, version }: { since: number | null; version: number },
): Promise<number> {
  const found = await db.select().from(userSuspension).where(eq(userSuspension.userId, userId)).get()
  return (found?.version ?? 0) === version && (found?.since ?? null) === since ? 0 : 1
}

const suspendedNow = isNotNull(userSuspension.since)

export const countSuspended = (db: Db): Promise<number> => db.$count(userSuspension, suspendedNow)

/** Accounts with this email address or id. With an empty text, all suspended accounts, most recent first. */
export const findUsersForOperators = (db: Db, text: string, limit: number) =>
  db
    .select({ id: user.id, email: user.email, createdAt: user.createdAt, suspendedSince: userSuspension.since })
    .from(user)
    .leftJoin(userSuspension, and(eq(userSuspension.userId, user.id), suspendedNow))
    .where(text === '' ? suspendedNow : or(eq(user.email, storedEmail(text) ?? ''), eq(user.id, text)))
    .orderBy(desc(userSuspension.since))
    .limit(limit)

export type OperatorActionRow = typeof operatorAction.$inferSelect

export async function insertOperatorAction(db: Db, row: OperatorActionRow): Promise<void> {
  await db.insert(operatorAction).values(row)
}

/** Newest first. */
export const listOperatorActions = (db: Db, limit: number): Promise<OperatorActionRow[]> =>
  db.select().from(operatorAction).orderBy(desc(sql`rowid`)).limit(limit)
