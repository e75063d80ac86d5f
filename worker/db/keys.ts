import { and, asc, eq, gt, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { keyUse, keyVersion, signup, signupPasscode, user } from './schema.ts'

export type KeyUseRow = typeof keyUse.$inferSelect

const dayMs = 86_400_000

/** Accounts to look at: not since `since` (ms), or with something that may be gone by now. Longest ago first. */
const isDue = (since: number, now: number) =>
  or(
    isNull(keyUse.checkedAt),
    lt(keyUse.checkedAt, since),
    and(gt(keyUse.unsealed, 0), lt(keyUse.checkedAt, now)),
    // Once a day from its expiry on: it may take its time until a reclaim is final.
    and(or(lt(keyUse.payoutUntil, now), lt(keyUse.codeUntil, now)), lt(keyUse.checkedAt, now - dayMs)),
  )

export const accountsToCheck = async (db: Db, since: number, now: number, limit: number): Promise<string[]> =>
  (
    await db
      .select({ id: user.id })
      .from(user)
      .leftJoin(keyUse, eq(keyUse.userId, user.id))
      .where(isDue(since, now))
      .orderBy(asc(sql`coalesce(${keyUse.checkedAt}, 0)`), asc(user.id))
      .limit(limit)
  ).map(({ id }) => id)

export async function recordKeyUse(db: Db, row: KeyUseRow): Promise<void> {
  const { userId: _, ...set } = row
  await db.insert(keyUse).values(row).onConflictDoUpdate({ target: keyUse.userId, set })
}

/** The account counts as not looked at: an object of an earlier time has values under earlier keys. */
export async function forgetKeyUse(db: Db, userId: string): Promise<void> {
  await db.delete(keyUse).where(eq(keyUse.userId, userId))
}

/** Over all accounts. `unchecked`: not looked at since `since` (ms). */
export async function keyUseTotals(db: Db, since: number) {
  const row = await db
    .select({
      accounts: sql<number>`count(*)`,
      unchecked: sql<number>`count(*) FILTER (WHERE ${keyUse.checkedAt} IS NULL OR ${keyUse.checkedAt} < ${since})`,
      unsealed: sql<number>`coalesce(sum(${keyUse.unsealed}), 0)`,
      payoutUntil: sql<number | null>`max(${keyUse.payoutUntil})`,
      codeUntil: sql<number | null>`max(${keyUse.codeUntil})`,
    })
    .from(user)
    .leftJoin(keyUse, eq(keyUse.userId, user.id))
    .get()
  return row!
}

/** Passcodes that can still be used and were hashed under another version, and when the last of them ends (ms; null: never). */
export async function passcodesUnderOther(db: Db, version: number, now: number) {
  const row = await db
    .select({
      n: sql<number>`count(*)`,
      endless: sql<number>`count(*) FILTER (WHERE ${signupPasscode.expiresAt} IS NULL)`,
      until: sql<number | null>`max(${signupPasscode.expiresAt})`,
    })
    .from(signupPasscode)
    .where(
      and(
        ne(signupPasscode.pepperVersion, version),
        isNull(signupPasscode.revokedAt),
        or(isNull(signupPasscode.expiresAt), gt(signupPasscode.expiresAt, now)),
        or(isNull(signupPasscode.maxUses), sql`${signupPasscode.used} < ${signupPasscode.maxUses}`),
      ),
    )
    .get()
  return row!
}

const isUnderOther = (column: typeof user.passwordHash | typeof signup.passwordHash, version: number) =>
  and(
    sql`${column} LIKE '$scrypt$%'`,
    version === 1 ? sql`${column} LIKE '%,keyid=%'` : sql`${column} NOT LIKE ${`%,keyid=${version}$%`}`,
  )

/** Accounts whose password is hashed under another version of the pepper. */
export const passwordsUnderOther = async (db: Db, version: number): Promise<number> =>
  (await db.$count(user, isUnderOther(user.passwordHash, version))) +
  (await db.$count(signup, isUnderOther(signup.passwordHash, version)))

/** Their passwords no longer sign in: the owners choose new ones by email. Returns how many. */
export async function voidPasswordsUnderOther(db: Db, version: number, noPassword: string): Promise<number> {
  const [users] = await db.batch([
    db
      .update(user)
      .set({ passwordHash: noPassword })
      .where(isUnderOther(user.passwordHash, version))
      .returning({ id: user.id }),
    db.delete(signup).where(isUnderOther(signup.passwordHash, version)),
  ])
  return users.length
}

/** The fingerprints that are known, by `name version`. */
export async function knownFingerprints(db: Db): Promise<Map<string, string>> {
  const rows = await db.select().from(keyVersion)
  return new Map(rows.map(({ name, version, fingerprint }) => [`${name} ${version}`, fingerprint]))
}

/** The first one of a version stays. */
export async function recordFingerprint(db: Db, row: typeof keyVersion.$inferInsert): Promise<void> {
  await db.insert(keyVersion).values(row).onConflictDoNothing()
}
