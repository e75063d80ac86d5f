import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { signupPasscode } from './schema.ts'

export type PasscodeRow = typeof signupPasscode.$inferSelect

/** Null if this passcode exists already. */
export async function insertPasscode(
  db: Db,
  row: Pick<PasscodeRow, 'hash' | 'label' | 'maxUses' | 'expiresAt' | 'createdAt' | 'pepperVersion'>,
): Promise<PasscodeRow | null> {
  return (await db.insert(signupPasscode).values(row).onConflictDoNothing().returning())[0] ?? null
}

/** Newest first. */
export const listPasscodes = (db: Db, limit: number): Promise<PasscodeRow[]> =>
  db.select().from(signupPasscode).orderBy(desc(signupPasscode.createdAt), signupPasscode.hash).limit(limit)

/** `id` is the first 16 digits of the hash. Null if the passcode is unknown or revoked. */
export async function editPasscode(
  db: Db,
  id: string,
  change: Partial<Pick<PasscodeRow, 'maxUses' | 'expiresAt' | 'revokedAt'>>,
): Promise<PasscodeRow | null> {
  const rows = await db
    .update(signupPasscode)
    .set(change)
    .where(and(eq(sql`substr(${signupPasscode.hash}, 1, 16)`, id), isNull(signupPasscode.revokedAt)))
    .returning()
  return rows[0] ?? null
}
