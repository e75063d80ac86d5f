import { and, asc, eq, ne, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { accountToKeep, type UserRow, user } from './schema.ts'

/** The columns of an account's row that its Treasury keeps. Times in ms. */
export type Owner = Pick<
  UserRow,
  'email' | 'name' | 'status' | 'temporarySince' | 'publicAddress' | 'region' | 'passwordAt' | 'createdAt' | 'updatedAt'
>

/** Up to `limit` accounts that have changed since they were last kept. `row` is null if the account was deleted. */
export const accountsToKeep = (db: Db, limit: number) =>
  db
    .select({ userId: accountToKeep.userId, version: accountToKeep.version, row: user })
    .from(accountToKeep)
    .leftJoin(user, eq(user.id, accountToKeep.userId))
    .orderBy(asc(accountToKeep.version), asc(accountToKeep.userId))
    .limit(limit)

export const accountToKeepOf = async (db: Db, userId: string) =>
  (await db
    .select({ userId: accountToKeep.userId, version: accountToKeep.version, row: user })
    .from(accountToKeep)
    .leftJoin(user, eq(user.id, accountToKeep.userId))
    .where(eq(accountToKeep.userId, userId))
    .get()) ?? null

/** Marks this version of the account as kept. A change made in the meantime has a higher version, so its entry stays. */
export async function markKept(db: Db, userId: string, version: number): Promise<void> {
  await db.delete(accountToKeep).where(and(eq(accountToKeep.userId, userId), eq(accountToKeep.version, version)))
}

/** Moves the account behind the others after a failure. */
export async function deferKeeping(db: Db, userId: string): Promise<void> {
  await db
    .update(accountToKeep)
    .set({ version: sql`${accountToKeep.version} + 1` })
    .where(eq(accountToKeep.userId, userId))
}

const asRow = (userId: string, { email, name, status, temporarySince, publicAddress, ...times }: Owner) => ({
  id: userId,
  email,
  name,
  status,
  temporarySince,
  publicAddress,
  ...times,
})

/** Whether the account's row is missing or older than this. */
export async function differsFromOwner(db: Db, userId: string, owner: Owner): Promise<boolean> {
  const found = await db.select().from(user).where(eq(user.id, userId)).get()
  if (!found) return true
  if (found.updatedAt > owner.updatedAt) return found.passwordAt < owner.passwordAt
  const wanted = asRow(userId, owner)
  return (Object.keys(wanted) as (keyof typeof wanted)[]).some((key) => found[key] !== wanted[key])
}

/**
 * Writes the account's row as its Treasury has it. Keeps a newer row, but removes its password if the Treasury knows of a
 * later one. Deletes an unconfirmed account with the same address. False if another account has the address.
 */
export async function restoreOwner(db: Db, userId: string, owner: Owner, noPassword: string): Promise<boolean> {
  const row = asRow(userId, owner)
  const isOutdated = sql`${user.passwordAt} < excluded.password_at`
  const later = <Column extends keyof typeof row>(column: Column) =>
    sql`CASE WHEN excluded.updated_at >= ${user.updatedAt} THEN excluded.${sql.identifier(user[column].name)} ELSE ${user[column]} END`
  const statements = [
    db.delete(user).where(and(eq(user.email, owner.email), ne(user.id, userId), eq(user.status, 'UNCONFIRMED'))),
    db
      .insert(user)
      .values({ ...row, passwordHash: noPassword })
      .onConflictDoUpdate({
        target: user.id,
        set: {
          email: later('email'),
          name: later('name'),
          status: later('status'),
          temporarySince: later('temporarySince'),
          publicAddress: later('publicAddress'),
          region: later('region'),
          createdAt: later('createdAt'),
          updatedAt: later('updatedAt'),
          passwordHash: sql`CASE WHEN ${isOutdated} THEN ${noPassword} ELSE ${user.passwordHash} END`,
          passwordAt: sql`max(${user.passwordAt}, excluded.password_at)`,
        },
      }),
  ] as const
  try {
    await db.batch(statements)
    return true
  } catch (error) {
    if (/UNIQUE constraint failed: user\.email/.test(`${error} ${(error as Error).cause}`)) return false
    throw error
  }
}
