import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Region } from '#domain/region.ts'
import type { Db } from './d1.ts'
import { signupPasscode, type UserRow, user } from './schema.ts'
import { discardProofs } from './signups.ts'

export async function findUser(db: Db, userId: string): Promise<UserRow | null> {
  return (await db.select().from(user).where(eq(user.id, userId)).get()) ?? null
}

export const userByEmail = (db: Db, email: string) => db.select().from(user).where(eq(user.email, email))

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  return (await userByEmail(db, email).get()) ?? null
}

/** Email and name, for messages. Null if there is no such user. */
export async function findUserContact(db: Db, userId: string): Promise<Pick<UserRow, 'email' | 'name'> | null> {
  return (await db.select({ email: user.email, name: user.name }).from(user).where(eq(user.id, userId)).get()) ?? null
}

/**
 * Returns the new account, or null if the email is taken. An UNCONFIRMED account does not count as taken: a later signup
 * replaces it and keeps its id, so that a stranger cannot block an address for its owner.
 */
export async function insertUser(db: Db, row: typeof user.$inferInsert): Promise<UserRow | null> {
  const { name, status, passwordHash, temporarySince, updatedAt, passwordAt = 0, region = null } = row
  const inserted = await db
    .insert(user)
    .values(row)
    .onConflictDoUpdate({
      target: user.email,
      set: { name, status, passwordHash, temporarySince, updatedAt, passwordAt, region },
      setWhere: eq(user.status, 'UNCONFIRMED'),
    })
    .returning()
  return inserted[0] ?? null
}

/** The statement that records where the user's objects are created, unless that is known. */
export const placing = (db: Db, userId: string, region: Region) =>
  db
    .update(user)
    .set({ region })
    .where(and(eq(user.id, userId), isNull(user.region)))

/** Null if there is no such user. */
export async function editUser(
  db: Db,
  userId: string,
  change: { name: string } | { publicAddress: string | null },
  now: number,
): Promise<UserRow | null> {
  const rows = await db
    .update(user)
    .set({ ...change, updatedAt: now })
    .where(eq(user.id, userId))
    .returning()
  return rows[0] ?? null
}

/** Undoes `insertUser` for an account that has never been signed in to. */
export async function deleteUnusedUser(db: Db, userId: string): Promise<void> {
  await db.delete(user).where(and(eq(user.id, userId), eq(user.status, 'FORCE_CHANGE_PASSWORD')))
}

/** Replaces a hash with a stronger one of the same password, unless the password has been changed since. */
export async function upgradeHash(db: Db, userId: string, from: string, to: string): Promise<void> {
  await db
    .update(user)
    .set({ passwordHash: to })
    .where(and(eq(user.id, userId), eq(user.passwordHash, from)))
}

/**
 * Stores the password that the user chose, confirms the account, and voids its codes, links and sign-ups. Null if `from`
 * is no longer the stored hash.
 */
export async function choosePassword(
  db: Db,
  change: { userId: string; from: string; to: string; name?: string; now: number },
): Promise<UserRow | null> {
  const { userId, from, to, name, now } = change
  const [rows] = await db.batch([
    db
      .update(user)
      .set({
        passwordHash: to,
        passwordAt: now,
        status: 'CONFIRMED',
        temporarySince: null,
        updatedAt: now,
        ...(name ? { name } : {}),
      })
      .where(and(eq(user.id, userId), eq(user.passwordHash, from)))
      .returning(),
    ...discardProofs(db, userId),
  ])
  return rows[0] ?? null
}

/** Counts one use of a passcode and returns its hash. Null if it is unknown, used up, expired or revoked. */
export async function takePasscode(db: Db, hashes: string[], now: number): Promise<string | null> {
  const rows = await db
    .update(signupPasscode)
    .set({ used: sql`${signupPasscode.used} + 1` })
    .where(
      and(
        inArray(signupPasscode.hash, hashes),
        isNull(signupPasscode.revokedAt),
        or(isNull(signupPasscode.expiresAt), sql`${signupPasscode.expiresAt} > ${now}`),
        or(isNull(signupPasscode.maxUses), sql`${signupPasscode.used} < ${signupPasscode.maxUses}`),
      ),
    )
    .returning({ hash: signupPasscode.hash })
  return rows[0]?.hash ?? null
}

/** Undoes `takePasscode` if no account was created. */
export async function returnPasscode(db: Db, hash: string): Promise<void> {
  await db
    .update(signupPasscode)
    .set({ used: sql`max(0, ${signupPasscode.used} - 1)` })
    .where(eq(signupPasscode.hash, hash))
}
