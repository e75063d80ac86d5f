import { and, asc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { hourMs } from '#domain/time.ts'
import type { Db } from './d1.ts'
import { keyUse, keyVersion, signup, signupPasscode, user, userRestore } from './schema.ts'

export type KeyUseRow = Omit<typeof keyUse.$inferSelect, 'failure'>

/** Delay before a failed account is checked again, so that a loop that runs until nothing is due terminates. */
const retryMs = 30_000

/**
 * Accounts to check: not checked since `since` (ms), failed a while ago, or with uses of old keys that may be gone by now.
 * Callers take the least recently checked first, so that failing accounts do not starve the others.
 */
const isDue = (since: number, now: number) =>
  and(
    // An account that is being restored refuses the call and counts as unchecked until it reopens.
    isNull(userRestore.userId),
    or(
      isNull(keyUse.checkedAt),
      and(
        isNull(keyUse.failure),
        or(lt(keyUse.checkedAt, since), and(gt(keyUse.unsealed, 0), lt(keyUse.checkedAt, now))),
      ),
      and(isNotNull(keyUse.failure), lt(keyUse.checkedAt, now - retryMs)),
      // Hourly after expiry, because a reclaim takes a while to become final. Owners replace credentials when they like.
      and(
        or(lt(keyUse.payoutUntil, now), lt(keyUse.codeUntil, now), gt(keyUse.credentials, 0)),
        lt(keyUse.checkedAt, now - hourMs),
      ),
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

/** Marks the account's check as failed with this error code. Earlier findings are kept. */
export async function recordKeyFailure(db: Db, userId: string, now: number, failure: string): Promise<void> {
  const set = { checkedAt: now, failure }
  await db
    .insert(keyUse)
    .values({ userId, unsealed: 0, ...set })
    .onConflictDoUpdate({ target: keyUse.userId, set })
}

/** Marks the account as unchecked, because an object restored to an earlier time may use older keys. */
export async function forgetKeyUse(db: Db, userId: string): Promise<void> {
  await db.delete(keyUse).where(eq(keyUse.userId, userId))
}

/** Error code of the last check, `account_restoring` during a restore. Null if the check succeeded or has not run yet. */
const failureOf = sql<
  string | null
>`CASE WHEN ${userRestore.userId} IS NULL THEN ${keyUse.failure} ELSE 'account_restoring' END`

/** Totals over all accounts. `unchecked`: not checked since `since` (ms). `failed`: the last check failed. */
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
      credentials: sql<number>`coalesce(sum(${keyUse.credentials}), 0)`,
    })
    .from(user)
    .leftJoin(keyUse, eq(keyUse.userId, user.id))
    .leftJoin(userRestore, isBeingRestored)
    .get()
  return row!
}

/** Accounts whose last check failed, with the error code. */
export const failedAccounts = (db: Db, limit: number): Promise<{ userId: string; failure: string }[]> =>
  db
    .select({ userId: user.id, failure: sql<string>`${failureOf}` })
    .from(user)
    .leftJoin(keyUse, eq(keyUse.userId, user.id))
    .leftJoin(userRestore, isBeingRestored)
    .where(isNotNull(failureOf))
    .orderBy(asc(user.id))
    .limit(limit)

/** Open payouts under an older version of the keyring: a few ids per account, earliest expiry first. */
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

/** Counts usable passcodes hashed under another version. `until` is their last expiry (ms); `endless` ones never expire. */
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

/** Voids passwords hashed under another version; their users must reset them by email. Returns how many. */
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

/** Recorded fingerprints, keyed by `name version`. */
export async function knownFingerprints(db: Db): Promise<Map<string, string>> {
  const rows = await db.select().from(keyVersion)
  return new Map(rows.map(({ name, version, fingerprint }) => [`${name} ${version}`, fingerprint]))
}

/** The domain of the passkeys with which recipients of this database keep payouts; null if there are none. */
export async function knownPasskeyDomain(db: Db): Promise<string | null> {
  const row = await db.select().from(keyVersion).where(eq(keyVersion.name, passkeyDomainName)).get()
  return row?.fingerprint ?? null
}

/** Records the domain of passkeys. The first one recorded is kept. */
export const recordPasskeyDomain = (db: Db, domain: string, now: number): Promise<void> =>
  recordFingerprint(db, { name: passkeyDomainName, version: 1, fingerprint: domain, firstSeen: now })

/** Its row among the fingerprints of secrets. */
const passkeyDomainName = 'PASSKEY_DOMAIN'

/** Records a version's fingerprint. The first one recorded is kept. */
export async function recordFingerprint(db: Db, row: typeof keyVersion.$inferInsert): Promise<void> {
  await db.insert(keyVersion).values(row).onConflictDoNothing()
}
