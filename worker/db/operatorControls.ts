import { and, desc, eq, isNotNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { storedEmail } from '#domain/email.ts'
import { isWeaker, type StopMode, stopModes } from '#domain/serviceStop.ts'
import type { Db } from './d1.ts'
import { operatorAction, serviceStop, user, userSuspension } from './schema.ts'

/** `since` in ms; null if nothing was ever stopped. */
export type ServiceStop = { mode: StopMode; since: number | null }

export async function readServiceStop(db: Db): Promise<ServiceStop> {
  const row = await db.select({ mode: serviceStop.mode, since: serviceStop.since }).from(serviceStop).get()
  return row ?? { mode: 'none', since: null }
}

/**
 * Sets the stop mode. A stronger or equal mode always applies. A weaker one applies only if the current mode is `from`, so
 * that no operator lifts a stop they have not seen; returns false otherwise. `since` is kept if the mode does not change.
 */
export async function writeServiceStop(db: Db, mode: StopMode, from: StopMode | null, now: number): Promise<boolean> {
  const stronger = stopModes.filter((other) => isWeaker(mode, other))
  const rows = await db
    .insert(serviceStop)
    .values({ one: 1, mode, since: now })
    .onConflictDoUpdate({
      target: serviceStop.one,
      set: { mode, since: sql`CASE WHEN ${serviceStop.mode} = ${mode} THEN ${serviceStop.since} ELSE ${now} END` },
      setWhere:
        from === null
          ? notInArray(serviceStop.mode, stronger)
          : sql`${notInArray(serviceStop.mode, stronger)} OR ${eq(serviceStop.mode, from)}`,
    })
    .returning({ mode: serviceStop.mode })
  return rows.length > 0
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
