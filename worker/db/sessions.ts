import { and, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import { loginChallenge, refreshToken, session, type UserRow, user } from './accounts.ts'
import type { Db } from './session.ts'

export async function insertSession(
  db: Db,
  input: {
    sessionId: string
    userId: string
    tokenHash: string
    now: number
    expiresAt: number
    tokenExpiresAt: number
  },
): Promise<void> {
  const { sessionId, userId, tokenHash, now, expiresAt, tokenExpiresAt } = input
  await db.batch([
    db.insert(session).values({ id: sessionId, userId, createdAt: now, expiresAt }),
    db.insert(refreshToken).values({ hash: tokenHash, sessionId, createdAt: now, expiresAt: tokenExpiresAt }),
  ])
}

export async function findRefreshToken(db: Db, hash: string) {
  const row = await db
    .select({ token: refreshToken, session, user })
    .from(refreshToken)
    .innerJoin(session, eq(session.id, refreshToken.sessionId))
    .innerJoin(user, eq(user.id, session.userId))
    .where(eq(refreshToken.hash, hash))
    .get()
  return row ?? null
}

/** Mark `oldHash` exchanged (the first time counts) and store its successor. */
export async function replaceRefreshToken(
  db: Db,
  input: { oldHash: string; newHash: string; sessionId: string; now: number; expiresAt: number },
): Promise<void> {
  const { oldHash, newHash, sessionId, now, expiresAt } = input
  await db.batch([
    db
      .update(refreshToken)
      .set({ replacedAt: sql`coalesce(${refreshToken.replacedAt}, ${now})` })
      .where(eq(refreshToken.hash, oldHash)),
    db.insert(refreshToken).values({ hash: newHash, sessionId, createdAt: now, expiresAt }),
  ])
}

export async function revokeSession(db: Db, sessionId: string, now: number): Promise<void> {
  await db
    .update(session)
    .set({ revokedAt: now, revokedReason: 'reuse' })
    .where(and(eq(session.id, sessionId), isNull(session.revokedAt)))
}

/** Its user signed out: it lasts no longer than until `now`. */
export async function endSession(db: Db, sessionId: string, now: number): Promise<void> {
  await db
    .update(session)
    .set({ expiresAt: sql`min(${session.expiresAt}, max(${now}, ${session.createdAt} + 1))` })
    .where(eq(session.id, sessionId))
}

/** After a password change: every session of the user but `keepSessionId`. Answers the ended ones. */
export async function revokeOtherSessions(
  db: Db,
  userId: string,
  keepSessionId: string | null,
  now: number,
): Promise<string[]> {
  const rows = await db
    .update(session)
    .set({ revokedAt: now, revokedReason: 'password_changed' })
    .where(
      and(
        eq(session.userId, userId),
        isNull(session.revokedAt),
        keepSessionId === null ? undefined : ne(session.id, keepSessionId),
      ),
    )
    .returning({ id: session.id })
  return rows.map((row) => row.id)
}

export async function sessionIsOpen(db: Db, sessionId: string, userId: string, now: number): Promise<boolean> {
  const row = await db
    .select({ id: session.id })
    .from(session)
    .where(
      and(eq(session.id, sessionId), eq(session.userId, userId), isNull(session.revokedAt), gt(session.expiresAt, now)),
    )
    .get()
  return row !== undefined
}

/** One open challenge per user: a new one replaces the old. */
export async function putChallenge(db: Db, hash: string, userId: string, expiresAt: number): Promise<void> {
  await db.batch([
    db.delete(loginChallenge).where(eq(loginChallenge.userId, userId)),
    db.insert(loginChallenge).values({ hash, userId, expiresAt }),
  ])
}

/** Takes the challenge away, whoever asks first. Null when there is none, it ran out, or it is another email's. */
export async function takeChallenge(db: Db, hash: string, email: string, now: number): Promise<UserRow | null> {
  const [taken] = await db
    .delete(loginChallenge)
    .where(
      and(
        eq(loginChallenge.hash, hash),
        gt(loginChallenge.expiresAt, now),
        sql`${loginChallenge.userId} = (SELECT ${user.id} FROM ${user} WHERE ${user.email} = ${email})`,
      ),
    )
    .returning({ userId: loginChallenge.userId })
  if (!taken) return null
  return (await db.select().from(user).where(eq(user.id, taken.userId)).get()) ?? null
}
