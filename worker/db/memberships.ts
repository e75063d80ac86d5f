import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { AccountId, PersonId } from '#domain/accounts.ts'
import type { Db } from './d1.ts'
import { loginSession, membership, user, userSuspension } from './schema.ts'

/**
 * Which accounts of others a person acts for: where the Treasury of each is found. Whether they still may, and as what, the
 * Treasury alone knows.
 */
export async function writeMembership(db: Db, personId: string, accountId: string): Promise<void> {
  await db.insert(membership).values({ personId, accountId }).onConflictDoNothing()
}

export async function deleteMembership(db: Db, personId: string, accountId: string): Promise<void> {
  await db.delete(membership).where(and(eq(membership.personId, personId), eq(membership.accountId, accountId)))
}

/** What must hold before an account of somebody else is addressed. */
export async function readMembership(
  db: Db,
  { personId, accountId, sessionId, now }: { personId: PersonId; accountId: string; sessionId: string; now: number },
): Promise<{ isSignedIn: boolean; isSuspended: boolean; isMember: boolean }> {
  const [sessions, suspensions, members] = await db.batch([
    db
      .select({ id: loginSession.id })
      .from(loginSession)
      .where(
        and(
          ...[eq(loginSession.id, sessionId), eq(loginSession.userId, personId)],
          ...[isNull(loginSession.revokedAt), gt(loginSession.expiresAt, now)],
        ),
      ),
    db.select({ since: userSuspension.since }).from(userSuspension).where(eq(userSuspension.userId, personId)),
    db
      .select({ accountId: membership.accountId })
      .from(membership)
      .where(and(eq(membership.personId, personId), eq(membership.accountId, accountId))),
  ])
  return {
    isSignedIn: sessions.length > 0,
    isSuspended: (suspensions[0]?.since ?? null) !== null,
    isMember: members.length > 0,
  }
}

/** The accounts of others that a person acts for, by the names of their owners. */
export const joinedAccounts = (db: Db, personId: PersonId) =>
  db
    .select({ id: membership.accountId, name: user.name, ownerEmail: user.email })
    .from(membership)
    .innerJoin(user, eq(user.id, membership.accountId))
    .where(eq(membership.personId, personId))
    .orderBy(asc(user.name), asc(user.email))
    .all() as Promise<{ id: AccountId; name: string | null; ownerEmail: string }[]>

/** Number of the account's memberships that D1 lacks, plus those that it has too many. */
export async function differingMemberships(db: Db, accountId: string, personIds: string[]): Promise<number> {
  const rows = await db.select().from(membership).where(eq(membership.accountId, accountId))
  const known = new Set(rows.map(({ personId }) => personId))
  return personIds.filter((id) => !known.delete(id)).length + known.size
}

/** Makes these people the account's members. */
export async function restoreMemberships(db: Db, accountId: string, personIds: string[]): Promise<void> {
  const others = and(
    eq(membership.accountId, accountId),
    sql`${membership.personId} NOT IN (SELECT value FROM json_each(${JSON.stringify(personIds)}))`,
  )
  await db.delete(membership).where(others)
  for (const personId of personIds) await writeMembership(db, personId, accountId)
}
