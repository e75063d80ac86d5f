import { and, eq, gt, gte, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { loginChallenge, loginSession, refreshToken, type UserRow, user } from './schema.ts'

export async function insertLoginSession(
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
    db.insert(loginSession).values({ id: sessionId, userId, createdAt: now, expiresAt }),
    db.insert(refreshToken).values({ hash: tokenHash, sessionId, createdAt: now, expiresAt: tokenExpiresAt }),
  ])
}

/** Returns the token with its session and user, or null if it is unknown. */
export async function findRefreshToken(db: Db, hash: string) {
  const row = await db
    .select({ token: refreshToken, session: loginSession, user })
    .from(refreshToken)
    .innerJoin(loginSession, eq(loginSession.id, refreshToken.sessionId))
    .innerJoin(user, eq(user.id, loginSession.userId))
    .where(eq(refreshToken.hash, hash))
    .get()
  return row ?? null
}

/** The successor, plus one for a lost reply or a tab that refreshed at the same time. */
const maxSuccessors = 2

/**
 * Exchanges `oldHash` for `newHash`. False if the token was used too often: it has two successors, its first exchange was
 * more than `graceMs` ago, or its sibling was exchanged first. Only one of two siblings can continue, because a thief with
 * the second successor could otherwise keep a session unnoticed. Runs as one batch (a transaction), so that parallel
 * exchanges are counted.
 */
export async function replaceRefreshToken(
  db: Db,
  input: { oldHash: string; newHash: string; sessionId: string; now: number; graceMs: number; expiresAt: number },
): Promise<boolean> {
  const { oldHash, newHash, sessionId, now, graceMs, expiresAt } = input
  const parentHash = db
    .select({ hash: refreshToken.parentHash })
    .from(refreshToken)
    .where(eq(refreshToken.hash, oldHash))
  const [exchanged] = await db.batch([
    db
      .update(refreshToken)
      .set({
        replacedAt: sql`coalesce(${refreshToken.replacedAt}, ${now})`,
        successors: sql`${refreshToken.successors} + 1`,
      })
      .where(
        and(
          eq(refreshToken.hash, oldHash),
          lt(refreshToken.successors, maxSuccessors),
          or(isNull(refreshToken.replacedAt), gte(refreshToken.replacedAt, now - graceMs)),
        ),
      )
      .returning({ hash: refreshToken.hash }),
    db
      .update(refreshToken)
      .set({ successors: maxSuccessors, replacedAt: now })
      .where(
        and(
          eq(refreshToken.sessionId, sessionId),
          eq(refreshToken.parentHash, parentHash),
          ne(refreshToken.hash, oldHash),
        ),
      ),
    db.insert(refreshToken).values({ hash: newHash, sessionId, createdAt: now, expiresAt, parentHash: oldHash }),
  ])
  return exchanged.length === 1
}

/** Revokes a session whose refresh token was reused. False if the session is unknown or already revoked. */
export async function revokeLoginSession(db: Db, sessionId: string, now: number): Promise<boolean> {
  const revoked = await db
    .update(loginSession)
    .set({ revokedAt: now, revokedReason: 'reuse' })
    .where(and(eq(loginSession.id, sessionId), isNull(loginSession.revokedAt)))
    .returning({ id: loginSession.id })
  return revoked.length === 1
}

/** Ends a session at sign-out: it expires now, unless it has expired already. */
export async function endLoginSession(db: Db, sessionId: string, now: number): Promise<void> {
  await db
    .update(loginSession)
    .set({ expiresAt: sql`min(${loginSession.expiresAt}, max(${now}, ${loginSession.createdAt} + 1))` })
    .where(eq(loginSession.id, sessionId))
}

/** After a password change: revokes the user's sessions except `keepSessionId`, and returns the ids of those revoked. */
export async function revokeOtherLoginSessions(
  db: Db,
  userId: string,
  keepSessionId: string | null,
  now: number,
): Promise<string[]> {
  const rows = await db
    .update(loginSession)
    .set({ revokedAt: now, revokedReason: 'password_changed' })
    .where(
      and(
        eq(loginSession.userId, userId),
        isNull(loginSession.revokedAt),
        keepSessionId === null ? undefined : ne(loginSession.id, keepSessionId),
      ),
    )
    .returning({ id: loginSession.id })
  return rows.map((row) => row.id)
}

export async function isLoginSessionOpen(db: Db, sessionId: string, userId: string, now: number): Promise<boolean> {
  const open = and(
    eq(loginSession.id, sessionId),
    eq(loginSession.userId, userId),
    isNull(loginSession.revokedAt),
    gt(loginSession.expiresAt, now),
  )
  return (await db.$count(loginSession, open)) > 0
}

/** Stores the user's only open challenge; an earlier one becomes invalid. */
export async function putLoginChallenge(db: Db, hash: string, userId: string, expiresAt: number): Promise<void> {
  await db.batch([
    db.delete(loginChallenge).where(eq(loginChallenge.userId, userId)),
    db.insert(loginChallenge).values({ hash, userId, expiresAt }),
  ])
}

/** Consumes the challenge and returns its user. Null if it is unknown, has expired or belongs to another email. */
export async function takeLoginChallenge(db: Db, hash: string, email: string, now: number): Promise<UserRow | null> {
  const [taken] = await db
    .delete(loginChallenge)
    .where(
      and(
        eq(loginChallenge.hash, hash),
        gt(loginChallenge.expiresAt, now),
        eq(loginChallenge.userId, db.select({ id: user.id }).from(user).where(eq(user.email, email))),
      ),
    )
    .returning({ userId: loginChallenge.userId })
  if (!taken) return null
  return (await db.select().from(user).where(eq(user.id, taken.userId)).get()) ?? null
}
