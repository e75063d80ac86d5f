import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { signupPasscode, type UserRow, user } from './accounts.ts'
import type { Db } from './session.ts'

export async function findUser(db: Db, userId: string): Promise<UserRow | null> {
  return (await db.select().from(user).where(eq(user.id, userId)).get()) ?? null
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  return (await db.select().from(user).where(eq(user.email, email)).get()) ?? null
}

/**
 * The new account, or null when the email is taken. An UNCONFIRMED account takes nothing: whoever signs up last has it,
 * so that nobody can keep an address from its owner. It keeps its id.
 */
export async function insertUser(db: Db, row: UserRow): Promise<UserRow | null> {
  const { name, status, passwordHash, temporarySince, updatedAt } = row
  const inserted = await db
    .insert(user)
    .values(row)
    .onConflictDoUpdate({
      target: user.email,
      set: { name, status, passwordHash, temporarySince, updatedAt },
      setWhere: eq(user.status, 'UNCONFIRMED'),
    })
    .returning()
  return inserted[0] ?? null
}

/** The email address is proven. */
export async function confirmUser(db: Db, userId: string, now: number): Promise<void> {
  await db
    .update(user)
    .set({ status: 'CONFIRMED', updatedAt: now })
    .where(and(eq(user.id, userId), eq(user.status, 'UNCONFIRMED')))
}

/** Null when there is no such user. */
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

/** Undo of `insertUser` for an account nobody could have used yet. */
export async function deleteUnusedUser(db: Db, userId: string): Promise<void> {
  await db.delete(user).where(and(eq(user.id, userId), eq(user.status, 'FORCE_CHANGE_PASSWORD')))
}

/** Replace one hash by an equal password's better one; loses against a password change that came first. */
export async function upgradeHash(db: Db, userId: string, from: string, to: string): Promise<void> {
  await db
    .update(user)
    .set({ passwordHash: to })
    .where(and(eq(user.id, userId), eq(user.passwordHash, from)))
}

/** A chosen password ends FORCE_CHANGE_PASSWORD. Null when `from` is no longer the stored hash. */
export async function choosePassword(
  db: Db,
  change: { userId: string; from: string; to: string; name?: string; now: number },
): Promise<UserRow | null> {
  const { userId, from, to, name, now } = change
  const rows = await db
    .update(user)
    .set({ passwordHash: to, status: 'CONFIRMED', temporarySince: null, updatedAt: now, ...(name ? { name } : {}) })
    .where(and(eq(user.id, userId), eq(user.passwordHash, from)))
    .returning()
  return rows[0] ?? null
}

/** Count one use of a valid passcode. False when it is unknown, used up, over or revoked. */
export async function takePasscode(db: Db, hash: string, now: number): Promise<boolean> {
  const rows = await db
    .update(signupPasscode)
    .set({ used: sql`${signupPasscode.used} + 1` })
    .where(
      and(
        eq(signupPasscode.hash, hash),
        isNull(signupPasscode.revokedAt),
        or(isNull(signupPasscode.expiresAt), sql`${signupPasscode.expiresAt} > ${now}`),
        or(isNull(signupPasscode.maxUses), sql`${signupPasscode.used} < ${signupPasscode.maxUses}`),
      ),
    )
    .returning({ hash: signupPasscode.hash })
  return rows.length === 1
}

/** Undo of `takePasscode` when no account came of it. */
export async function giveBackPasscode(db: Db, hash: string): Promise<void> {
  await db
    .update(signupPasscode)
    .set({ used: sql`max(0, ${signupPasscode.used} - 1)` })
    .where(eq(signupPasscode.hash, hash))
}
