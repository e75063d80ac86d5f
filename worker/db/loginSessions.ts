import { and, eq, gt, gte, isNull, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { hourMs, minuteMs } from '#domain/time.ts'
import type { Db } from './d1.ts'
import { loginChallenge, loginSession, refreshToken, type UserRow, user } from './schema.ts'

/** Runs `also` in the same transaction. */
export async function insertLoginSession(
  db: Db,
  input: {
    sessionId: string
    userId: string
    tokenHash: string
    now: number
    expiresAt: number
    tokenExpiresAt: number
    connectionRequestId: string | null
  },
  also: BatchItem<'sqlite'>[] = [],
): Promise<void> {
  const { sessionId, userId, tokenHash, now, expiresAt, tokenExpiresAt, connectionRequestId } = input
  await db.batch([
    db.insert(loginSession).values({ id: sessionId, userId, createdAt: now, expiresAt, connectionRequestId }),
    db.insert(refreshToken).values({ hash: tokenHash, sessionId, createdAt: now, expiresAt: tokenExpiresAt }),
    ...also,
  ])
}

/** The successor, plus one for a lost reply or a tab that refreshed at the same time. */
const maxSuccessors = 2
/** A second use within this time is a lost reply or another tab. A later one means that the token was stolen. */
export const refreshGraceMs = 10 * minuteMs

/**
 * Exchanges `oldHash` for `newHash` in one transaction, so that parallel exchanges are counted. `found` is the old token as it
 * was before, with its session and user; null if it is unknown. `isExchanged` is false if the session or the token has
 * ended, or if the token was used too often: it has two successors, its first exchange was more than `refreshGraceMs` ago, or its
 * sibling was exchanged first. Only one of two siblings can continue, because a thief with the second successor could otherwise
 * keep a session unnoticed. `expiresAt` (ms) is that of the new token, unless the session ends before.
 */
export async function replaceRefreshToken(
  db: Db,
  input: { oldHash: string; newHash: string; sessionId: string; now: number; expiresAt: number },
) {
  const { oldHash, newHash, sessionId, now, expiresAt } = input
  const ofSession = eq(loginSession.id, sessionId)
  const owner = db.select({ id: loginSession.userId }).from(loginSession).where(ofSession)
  const successor = db
    .select({
      hash: sql`${newHash}`.as('hash'),
      sessionId: refreshToken.sessionId,
      createdAt: sql`${now}`.as('created_at'),
      expiresAt: sql`min(${expiresAt}, ${loginSession.expiresAt})`.as('expires_at'),
      replacedAt: sql`NULL`.as('replaced_at'),
      successors: sql`0`.as('successors'),
      parentHash: refreshToken.hash,
    })
    .from(refreshToken)
    .innerJoin(loginSession, eq(loginSession.id, refreshToken.sessionId))
    .where(
      and(
        eq(refreshToken.hash, oldHash),
        gt(refreshToken.expiresAt, now),
        lt(refreshToken.successors, maxSuccessors),
        or(isNull(refreshToken.replacedAt), gte(refreshToken.replacedAt, now - refreshGraceMs)),
        isNull(loginSession.revokedAt),
        gt(loginSession.expiresAt, now),
      ),
    )
  const added = sql`EXISTS (SELECT 1 FROM ${refreshToken} AS added WHERE added.hash = ${newHash})`
  const parentHash = db
    .select({ hash: refreshToken.parentHash })
    .from(refreshToken)
    .where(eq(refreshToken.hash, oldHash))
  // Not one join, because in a batch columns with the same name would become one.
  const [[token], [session], [account], inserted] = await db.batch([
    db.select().from(refreshToken).where(eq(refreshToken.hash, oldHash)),
    db.select().from(loginSession).where(ofSession),
    db.select().from(user).where(eq(user.id, owner)),
    db.insert(refreshToken).select(successor).returning({ hash: refreshToken.hash }),
    db
      .update(refreshToken)
      .set({
        replacedAt: sql`coalesce(${refreshToken.replacedAt}, ${now})`,
        successors: sql`${refreshToken.successors} + 1`,
      })
      .where(and(eq(refreshToken.hash, oldHash), added)),
    db
      .update(refreshToken)
      .set({ successors: maxSuccessors, replacedAt: now })
      .where(
        and(
          eq(refreshToken.sessionId, sessionId),
          eq(refreshToken.parentHash, parentHash),
          ne(refreshToken.hash, oldHash),
          added,
        ),
      ),
  ])
  const found = token && session && account ? { token, session, user: account } : null
  return { found, isExchanged: inserted.length === 1 }
}

/** Rows of ended sessions are kept this long, so that a repeated request finds them again. Longer than an access token lives. */
export const endedSessionMs = hourMs

export type EndedSession = { id: string; userId: string }

/** The user's sessions that have ended in the last hour. A session signed out when it began ends a millisecond later. */
const recentlyEnded = (db: Db, ofUser: SQL | undefined, now: number) =>
  db
    .select({ id: loginSession.id, userId: loginSession.userId })
    .from(loginSession)
    .where(
      and(
        ofUser,
        or(
          gt(loginSession.revokedAt, now - endedSessionMs),
          and(gt(loginSession.expiresAt, now - endedSessionMs), lte(loginSession.expiresAt, now + 1)),
        ),
      ),
    )

const ownerOf = (db: Db, sessionId: string) =>
  eq(
    loginSession.userId,
    db.select({ userId: loginSession.userId }).from(loginSession).where(eq(loginSession.id, sessionId)),
  )

/** The user's sessions that have ended in the last hour. */
export const endedLoginSessions = async (db: Db, userId: string, now: number): Promise<EndedSession[]> =>
  recentlyEnded(db, eq(loginSession.userId, userId), now)

/**
 * Revokes a session whose refresh token was reused; `isRevoked` is false if it is unknown or already revoked. `ended`: all
 * sessions of its user that have ended in the last hour.
 */
export async function revokeLoginSession(
  db: Db,
  sessionId: string,
  now: number,
): Promise<{ isRevoked: boolean; ended: EndedSession[] }> {
  const [revoked, ended] = await db.batch([
    db
      .update(loginSession)
      .set({ revokedAt: now, revokedReason: 'reuse' })
      .where(and(eq(loginSession.id, sessionId), isNull(loginSession.revokedAt)))
      .returning({ id: loginSession.id }),
    recentlyEnded(db, ownerOf(db, sessionId), now),
  ])
  return { isRevoked: revoked.length === 1, ended }
}

/**
 * Ends a session at sign-out: it expires now, unless it has expired already. Returns all sessions of its user that have ended
 * in the last hour.
 */
export async function endLoginSession(db: Db, sessionId: string, now: number): Promise<EndedSession[]> {
  const [, ended] = await db.batch([
    db
      .update(loginSession)
      .set({ expiresAt: sql`min(${loginSession.expiresAt}, max(${now}, ${loginSession.createdAt} + 1))` })
      .where(eq(loginSession.id, sessionId)),
    recentlyEnded(db, ownerOf(db, sessionId), now),
  ])
  return ended
}

/**
 * After a password change: revokes the user's sessions except `keepSessionId`. Returns all sessions of the user that have
 * ended in the last hour.
 */
export async function revokeOtherLoginSessions(
  db: Db,
  userId: string,
  keepSessionId: string | null,
  now: number,
): Promise<EndedSession[]> {
  const [, ended] = await db.batch([
    db
      .update(loginSession)
      .set({ revokedAt: now, revokedReason: 'password_changed' })
      .where(
        and(
          eq(loginSession.userId, userId),
          isNull(loginSession.revokedAt),
          keepSessionId === null ? undefined : ne(loginSession.id, keepSessionId),
        ),
      ),
    recentlyEnded(db, eq(loginSession.userId, userId), now),
  ])
  return ended
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

/** Stores the user's only open challenge; an earlier one becomes invalid. Runs `also` in the same transaction. */
export async function putLoginChallenge(
  db: Db,
  challenge: typeof loginChallenge.$inferInsert,
  also: BatchItem<'sqlite'>[],
): Promise<void> {
  await db.batch([
    db.delete(loginChallenge).where(eq(loginChallenge.userId, challenge.userId)),
    db.insert(loginChallenge).values(challenge),
    ...also,
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
