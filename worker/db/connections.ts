import { and, eq, exists, gt, isNull, or, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import {
  type ConnectionRequestRow,
  loginSession,
  type OAuthClientRow,
  oauthClient,
  connectionRequest as request,
} from './schema.ts'

export async function insertClient(db: Db, client: Omit<OAuthClientRow, 'usedAt'>): Promise<void> {
  await db.insert(oauthClient).values(client)
}

export const findClient = async (db: Db, id: string): Promise<OAuthClientRow | null> =>
  (await db.select().from(oauthClient).where(eq(oauthClient.id, id)).get()) ?? null

export async function insertRequest(db: Db, row: typeof request.$inferInsert): Promise<void> {
  await db.insert(request).values(row)
}

/** Adds a device's request, unless `max` of this address are open. False if they are. */
export async function insertDeviceRequest(
  db: Db,
  row: typeof request.$inferInsert & { addressHash: string },
  max: number,
): Promise<boolean> {
  const { addressHash, createdAt } = row
  const open = and(eq(request.addressHash, addressHash), isNull(request.answer), gt(request.expiresAt, createdAt))
  const [, refused] = await db.batch([
    db.insert(request).values(row),
    // Counted after it was added, so that parallel requests are counted.
    db
      .delete(request)
      .where(and(eq(request.id, row.id), sql`(SELECT count(*) FROM ${request} WHERE ${open}) > ${max}`))
      .returning({ id: request.id }),
  ])
  return refused.length === 0
}

export const findRequest = async (db: Db, id: string): Promise<ConnectionRequestRow | null> =>
  (await db.select().from(request).where(eq(request.id, id)).get()) ?? null

/**
 * Binds the request to the first person who opens it, until `expiresAt` (ms). Returns the request, and when the person's login
 * session began (ms); null if it has ended.
 */
export async function openRequest(
  db: Db,
  id: string,
  { userId, loginSessionId }: { userId: string; loginSessionId: string },
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<{ row: ConnectionRequestRow | null; signedInAt: number | null }> {
  const isOpen = and(eq(request.id, id), isNull(request.userId), gt(request.expiresAt, now))
  const live = and(
    eq(loginSession.id, loginSessionId),
    eq(loginSession.userId, userId),
    isNull(loginSession.revokedAt),
    gt(loginSession.expiresAt, now),
  )
  const isSignedIn = exists(db.select({ id: loginSession.id }).from(loginSession).where(live))
  // What a device shows lives as long as its code.
  const until = sql`CASE WHEN ${request.deviceHash} IS NULL THEN ${expiresAt} ELSE ${request.expiresAt} END`
  const [, [row], [session]] = await db.batch([
    db.update(request).set({ userId, expiresAt: until }).where(and(isOpen, isSignedIn)),
    db.select().from(request).where(eq(request.id, id)),
    db.select({ createdAt: loginSession.createdAt }).from(loginSession).where(live),
  ])
  return { row: row ?? null, signedInAt: session?.createdAt ?? null }
}

/**
 * Records the answer, once; the same answer again may name another connection. Returns false if another answer was first.
 * `clientId`: of a registered app, which is in use from now on.
 */
export async function answerRequest(
  db: Db,
  id: string,
  answer: { answer: 'allowed' | 'denied'; connectionId: string | null; clientId: string },
  now: number,
): Promise<boolean> {
  const [changed] = await db.batch([
    db
      .update(request)
      .set({ answer: answer.answer, connectionId: answer.connectionId })
      .where(and(eq(request.id, id), or(isNull(request.answer), eq(request.answer, answer.answer))))
      .returning({ id: request.id }),
    db
      .update(oauthClient)
      .set({ usedAt: sql`coalesce(${oauthClient.usedAt}, ${now})` })
      .where(and(eq(oauthClient.id, answer.clientId), sql`${answer.answer} = 'allowed'`)),
  ])
  return changed.length === 1
}

/** The open request of the device that shows this code. */
export const requestOfUserCode = async (db: Db, userCode: string, now: number): Promise<ConnectionRequestRow | null> =>
  (await db
    .select()
    .from(request)
    .where(and(eq(request.userCode, userCode), gt(request.expiresAt, now)))
    .get()) ?? null

/** The request of a device's code, as it was before this poll, which is recorded. */
export async function pollRequest(db: Db, deviceHash: string, now: number): Promise<ConnectionRequestRow | null> {
  const [[row]] = await db.batch([
    db.select().from(request).where(eq(request.deviceHash, deviceHash)),
    db.update(request).set({ polledAt: now }).where(eq(request.deviceHash, deviceHash)),
  ])
  return row ?? null
}
