import { and, desc, eq, exists, gt, inArray, isNull, or, sql } from 'drizzle-orm'
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

/** Adds a device's request. Of those of its address that nobody has entered yet, only the newest `max` are kept. */
export async function insertDeviceRequest(
  db: Db,
  row: typeof request.$inferInsert & { addressHash: string },
  max: number,
): Promise<void> {
  const isWaiting = and(eq(request.addressHash, row.addressHash), isNull(request.userId), isNull(request.answer))
  const older = db
    .select({ id: request.id })
    .from(request)
    .where(isWaiting)
    .orderBy(desc(request.createdAt), desc(sql`rowid`))
    // SQLite has no offset without a limit; there are at most a few more than `max`.
    .limit(max)
    .offset(max)
  await db.batch([db.insert(request).values(row), db.delete(request).where(inArray(request.id, older))])
}

/**
 * Binds the request to the first person who opens it, until `expiresAt` (ms). Returns the request, and when (ms) the person
 * signed in and for which request; null if the login session has ended.
 */
export async function openRequest(
  db: Db,
  id: string,
  { userId, loginSessionId }: { userId: string; loginSessionId: string },
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<{
  row: ConnectionRequestRow | null
  session: { signedInAt: number; signedInFor: string | null } | null
}> {
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
    db
      .select({ signedInAt: loginSession.createdAt, signedInFor: loginSession.connectionRequestId })
      .from(loginSession)
      .where(live),
  ])
  return { row: row ?? null, session: session ?? null }
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

/** The request of a device's code. */
export const requestOfDevice = async (db: Db, deviceHash: string): Promise<ConnectionRequestRow | null> =>
  (await db.select().from(request).where(eq(request.deviceHash, deviceHash)).get()) ?? null
