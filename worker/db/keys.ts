import { and, asc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { keyUse, keyVersion, signup, signupPasscode, user, userRestore } from './schema.ts'

export type KeyUseRow = Omit<typeof keyUse.$inferSelect, 'failure'>

const hourMs = 3_600_000
/** An account that failed is not asked again at once, so that asking until nothing is due comes to an end. */
const retryMs = 30_000

/**
 * Accounts to look at: not since `since` (ms), or with something that may be gone by now. Longest ago first, so that those that
 * fail don't keep the others from their turn.
 */
const isDue = (since: number, now: number) =>
  and(
    // It refuses, and counts as not looked at until it is open again.
    isNull(userRestore.userId),
    or(
      isNull(keyUse.checkedAt),
      and(
        isNull(keyUse.failure),
        or(lt(keyUse.checkedAt, since), and(gt(keyUse.unsealed, 0), lt(keyUse.checkedAt, now))),
      ),
      and(isNotNull(keyUse.failure), lt(keyUse.checkedAt, now - retryMs)),
      // Once an hour from its expiry on: a reclaim takes a while to become final.
      and(or(lt(keyUse.payoutUntil, now), lt(keyUse.codeUntil, now)), lt(keyUse.checkedAt, now - hourMs)),
    ),
  )

const isBeingRestored = and(eq(userRestore.userId, user.id), isNull(userRestore.endedAt))

export const accountsToCheck = async (db: Db, since: number, now: number, limit: number): Promise<string[]> =>
  (
    await db
      .select({ id: user.id })
      .from(user)
      .leftJoin(keyUse, eq(keyUse.userId, user.id))
      .leftJoin(userRestore, isBeingRestored)
      .where(isDue(since, now))
      .orderBy(asc(sql`coalesce(${keyUse.checkedAt}, 0)`), asc(user.id))
      .limit(limit)
  ).map(({ id }) => id)

export async function recordKeyUse(db: Db, row: KeyUseRow): Promise<void> {
  const { userId, ...set } = { ...row, failure: null }
  await db
    .insert(keyUse)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: keyUse.userId, set })
}

/** The account counts as not looked at; what was known of it stays. `failure`: the error's code. */
export async function recordKeyFailure(db: Db, userId: string, now: number, failure: string): Promise<void> {
  const set = { checkedAt: now, failure }
  await db
    .insert(keyUse)
    .values({ userId, unsealed: 0, ...set })
    .onConflictDoUpdate({ target: keyUse.userId, set })
}

/** The account counts as not looked at: an object of an earlier time has values under earlier keys. */
export async function forgetKeyUse(db: Db, userId: string): Promise<void> {
  await db.delete(keyUse).where(eq(keyUse.userId, userId))
}

/** The code of the error with which the last look failed; null: it did not, or the account's turn has not come. */
const failureOf = sql<
  string | null
>`CASE WHEN ${userRestore.userId} IS NULL THEN ${keyUse.failure} ELSE 'account_restoring' END`

/** Over all accounts. `unchecked`: not looked at since `since` (ms). `failed`: whose last look failed. */
export async function keyUseTotals(db: Db, since: number) {
  const row = await db
    .select({
      accounts: sql<number>`count(*)`,
      unchecked: sql<number>`count(*) FILTER (WHERE ${failureOf} IS NULL AND coalesce(${keyUse.checkedAt} < ${since}, TRUE))`,
      failed: sql<number>`count(*) FILTER (WHERE ${failureOf} IS NOT NULL)`,
      unsealed: sql<number>`coalesce(sum(${keyUse.unsealed}), 0)`,
      payouts: sql<number>`coalesce(sum(${keyUse.payouts}), 0)`,
      payoutUntil: sql<number | null>`max(${keyUse.payoutUntil})`,
      codes: sql<number>`coalesce(sum(${keyUse.codes}), 0)`,
      codeUntil: sql<number | null>`max(${keyUse.codeUntil})`,
    })
    .from(user)
    .leftJoin(keyUse, eq(keyUse.userId, user.id))
    .leftJoin(userRestore, isBeingRestored)
    .get()
  return row!
}

/** The accounts that could not be looked at, and why. */
export const failedAccounts = (db: Db, limit: number): Promise<{ userId: string; failure: string }[]> =>
  db
    .select({ userId: user.id, failure: sql<string>`${failureOf}` })
    .from(user)
    .leftJoin(keyUse, eq(keyUse.userId, user.id))
    .leftJoin(userRestore, isBeingRestored)
    .where(isNotNull(failureOf))
    .orderBy(asc(user.id))
    .limit(limit)

/** Open payouts under an older version of the ring: a few of each account, those first that expire first. */
export function openPayoutsUnderOther(db: Db, ring: 'PAYOUT_SECRET' | 'CODE_PEPPER', limit: number) {
  const [ids, until] =
    ring === 'PAYOUT_SECRET' ? [keyUse.payoutIds, keyUse.payoutUntil] : [keyUse.codeIds, keyUse.codeUntil]
  return db
    .select({ userId: user.id, ids })
    .from(user)
    .innerJoin(keyUse, eq(keyUse.userId, user.id))
    .where(isNotNull(until))
    .orderBy(asc(until), asc(user.id))
    .limit(limit)
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
