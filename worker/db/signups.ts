import { and, asc, desc, eq, not, sql } from 'drizzle-orm'
import type { Region } from '#domain/region.ts'
import type { Db } from './d1.ts'
import { accountCode, accountLink, type SignupRow, signup, type UserRow, user } from './schema.ts'

/**
 * Maximum sign-ups kept per address. Any further one is not stored, so its token is unknown at the confirmation, which then
 * discards all passwords. That is safe, and keeps the table from being filled.
 */
const maxSignups = 20

/**
 * Adds a sign-up to the account of `email`, creating it as UNCONFIRMED if there is none. Returns the account in any status:
 * the statements are the same for free and for taken addresses.
 */
export async function addSignup(
  db: Db,
  input: Omit<SignupRow, 'userId' | 'createdAt'> & {
    email: string
    accountId: string
    accountHash: string
    now: number
  },
): Promise<UserRow> {
  const { email, accountId, accountHash, tokenHash, name, passwordHash, now } = input
  const isFull = sql`(SELECT count(*) FROM ${signup} WHERE ${signup.userId} = ${user.id}) >= ${maxSignups}`
  const [, , [account]] = await db.batch([
    db
      .insert(user)
      .values({
        id: accountId,
        email,
        name,
        status: 'UNCONFIRMED',
        passwordHash: accountHash,
        createdAt: now,
        updatedAt: now,
      })
      .onConflictDoUpdate({
        target: user.email,
        set: { updatedAt: now },
        setWhere: eq(user.status, 'UNCONFIRMED'),
      }),
    db.insert(signup).select(
      db
        .select({
          tokenHash: sql`${tokenHash}`.as('token_hash'),
          userId: user.id,
          name: sql`${name}`.as('name'),
          passwordHash: sql`${passwordHash}`.as('password_hash'),
          createdAt: sql`${now}`.as('created_at'),
        })
        .from(user)
        .where(and(eq(user.email, email), not(isFull))),
    ),
    db.select().from(user).where(eq(user.email, email)),
  ])
  if (!account) throw new Error('the account was deleted while signing up')
  return account
}

/** Oldest first. */
export const signupsOf = (db: Db, userId: string): Promise<SignupRow[]> =>
  db.select().from(signup).where(eq(signup.userId, userId)).orderBy(asc(signup.createdAt))

/** Password hash of the newest sign-up of an address. The same statement whether or not an account exists. */
export const newestSignup = (db: Db, email: string) =>
  db
    .select({ passwordHash: signup.passwordHash })
    .from(signup)
    .innerJoin(user, eq(user.id, signup.userId))
    .where(eq(user.email, email))
    .orderBy(desc(signup.createdAt))
    .limit(1)

/**
 * Confirms an account with the given password, name and region, and deletes its sign-ups, codes and links. False if it is no longer
 * UNCONFIRMED.
 */
export async function confirmSignup(
  db: Db,
  input: { userId: string; passwordHash: string; name: string | null; region: Region | null; now: number },
): Promise<boolean> {
  const { userId, passwordHash, name, region, now } = input
  const [confirmed] = await db.batch([
    db
      .update(user)
      .set({ status: 'CONFIRMED', passwordHash, passwordAt: now, name, region, updatedAt: now })
      .where(and(eq(user.id, userId), eq(user.status, 'UNCONFIRMED')))
      .returning({ id: user.id }),
    ...discardProofs(db, userId),
  ])
  return confirmed.length === 1
}

/** Statements that delete everything that could still change an account's password by email. */
export const discardProofs = (db: Db, userId: string) =>
  [
    db.delete(signup).where(eq(signup.userId, userId)),
    db.delete(accountCode).where(eq(accountCode.userId, userId)),
    db.delete(accountLink).where(eq(accountLink.userId, userId)),
  ] as const
