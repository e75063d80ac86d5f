import { and, asc, eq, gte, inArray, isNotNull, lt, ne, or, sql } from 'drizzle-orm'
import type { AlertRow, TroubleKind } from '#domain/alerts.ts'
import { type Db, primaryDb } from './d1.ts'
import { alert, objectTrouble } from './schema.ts'

export type TroubleRow = typeof objectTrouble.$inferSelect

const maxRead = 1_000

/** Stores a report unless there is a newer one. `since` keeps the time of the first report of the same trouble. */
export async function recordTrouble(db: Db, row: TroubleRow): Promise<void> {
  await db
    .insert(objectTrouble)
    .values(row)
    .onConflictDoUpdate({
      target: [objectTrouble.kind, objectTrouble.subject],
      set: {
        edition: row.edition,
        detail: row.detail,
        since: sql`CASE WHEN ${objectTrouble.detail} IS NULL THEN excluded.since ELSE ${objectTrouble.since} END`,
      },
      setWhere: sql`excluded.edition > ${objectTrouble.edition}`,
    })
}

/** Records that an object had due work but no alarm. `now` in ms. */
export async function recordLostAlarm(db: Db, objectName: string, now: number): Promise<void> {
  const values = { userId: null, edition: now, since: now, detail: 'set again' }
  await db
    .insert(objectTrouble)
    .values({ kind: 'alarm_lost', subject: objectName, ...values })
    .onConflictDoUpdate({ target: [objectTrouble.kind, objectTrouble.subject], set: values })
}

/** For durable/objectSchema.ts. `object` is the class; Relayers and ClaimDesks are not named by a user's id. */
export function schemaReporter(
  d1: D1Database,
  object: 'treasury' | 'history' | 'relayer' | 'claims' | 'webhooks' | 'watch',
  id: DurableObjectId,
) {
  const name = id.name ?? id.toString()
  const userId = object === 'relayer' || object === 'claims' || object === 'watch' ? null : (id.name ?? null)
  return (problem: string | null): Promise<void> => {
    const now = Date.now()
    const row = { kind: 'schema_newer', subject: `${object}:${name}`, userId, detail: problem } as const
    return recordTrouble(primaryDb(d1), { ...row, edition: now, since: now })
  }
}

/** Up to a thousand open troubles, oldest first. Lost alarms are included if found since `alarmsSince` (ms). */
export const openTroubles = (db: Db, alarmsSince: number): Promise<(TroubleRow & { kind: TroubleKind })[]> =>
  db
    .select()
    .from(objectTrouble)
    .where(
      and(
        isNotNull(objectTrouble.detail),
        or(ne(objectTrouble.kind, 'alarm_lost'), gte(objectTrouble.since, alarmsSince)),
      ),
    )
    .orderBy(asc(objectTrouble.since), asc(objectTrouble.subject))
    .limit(maxRead)

/** Deletes lost alarms that were found before `before` (ms). */
export async function deleteOldAlarmTroubles(db: Db, before: number): Promise<void> {
  await db.delete(objectTrouble).where(and(eq(objectTrouble.kind, 'alarm_lost'), lt(objectTrouble.since, before)))
}

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
