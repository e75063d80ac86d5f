import { and, inArray, isNotNull, isNull, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Db } from './d1.ts'
import { refreshGraceMs } from './loginSessions.ts'
import { connectionRequest, deliveredMessage, oauthClient, refreshToken } from './schema.ts'

/** The maximum lifetime of a payout, so that no message about it is sent twice. */
const deliveredMs = 90 * dayMs
/** A spent refresh token may be exchanged once more within its grace period. */
const spentTokenMs = refreshGraceMs + minuteMs
/** An app registers when it is added. One that nobody has allowed after a day registers again. */
const unusedClientMs = dayMs
/** Rows deleted per table and minute, so that a backlog does not block the database. */
const maxRows = 2_000

/** Housekeeping, once a minute: deletes rows past their retention. docs/operations.md lists what is kept forever. */
export async function deleteOldRows(db: Db, now: number): Promise<void> {
  const spent = and(isNotNull(refreshToken.replacedAt), lt(refreshToken.replacedAt, now - spentTokenMs))
  const delivered = lt(deliveredMessage.at, now - deliveredMs)
  const unused = and(isNull(oauthClient.usedAt), lt(oauthClient.createdAt, now - unusedClientMs))
  const deleteSome = (table: SQLiteTable, key: SQLiteColumn, old: SQL | undefined) =>
    db.delete(table).where(inArray(key, db.select({ key }).from(table).where(old).limit(maxRows)))
  await db.batch([
    deleteSome(deliveredMessage, deliveredMessage.id, delivered),
    deleteSome(refreshToken, refreshToken.hash, spent),
    deleteSome(connectionRequest, connectionRequest.id, lt(connectionRequest.expiresAt, now)),
    deleteSome(oauthClient, oauthClient.id, unused),
  ])
}
