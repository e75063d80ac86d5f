import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { sameHash } from '../identity/secrets.ts'
import { accountCode, addressNonce, type CodePurpose } from './accounts.ts'
import type { Db } from './session.ts'

const maxTries = 5

/** The user's only code of this purpose: an earlier one is void. */
export async function putCode(
  db: Db,
  code: { userId: string; purpose: CodePurpose; hash: string; expiresAt: number },
): Promise<void> {
  const { hash, expiresAt } = code
  await db
    .insert(accountCode)
    .values(code)
    .onConflictDoUpdate({
      target: [accountCode.userId, accountCode.purpose],
      set: { hash, expiresAt, tries: 0 },
    })
}

/** True once, for the right code. The try is counted before the code is looked at, so parallel guesses add up. */
export async function takeCode(
  db: Db,
  guess: { userId: string; purpose: CodePurpose; hash: string; now: number },
): Promise<boolean> {
  const { userId, purpose, hash, now } = guess
  const its = and(eq(accountCode.userId, userId), eq(accountCode.purpose, purpose))
  const [counted] = await db
    .update(accountCode)
    .set({ tries: sql`${accountCode.tries} + 1` })
    .where(and(its, lt(accountCode.tries, maxTries), gt(accountCode.expiresAt, now)))
    .returning({ hash: accountCode.hash })
  if (!counted || !sameHash(counted.hash, hash)) return false
  const taken = await db
    .delete(accountCode)
    .where(and(its, eq(accountCode.hash, hash)))
    .returning({ userId: accountCode.userId })
  return taken.length === 1
}

/** One open nonce per user: a new one replaces the old. */
export async function putAddressNonce(
  db: Db,
  row: { userId: string; nonce: string; expiresAt: number },
): Promise<void> {
  const { nonce, expiresAt } = row
  await db
    .insert(addressNonce)
    .values(row)
    .onConflictDoUpdate({ target: addressNonce.userId, set: { nonce, expiresAt } })
}

/** Takes the nonce away, whatever comes of it. Null when there is none or it has run out. */
export async function takeAddressNonce(
  db: Db,
  userId: string,
  now: number,
): Promise<{ nonce: string; expiresAt: number } | null> {
  const [row] = await db
    .delete(addressNonce)
    .where(eq(addressNonce.userId, userId))
    .returning({ nonce: addressNonce.nonce, expiresAt: addressNonce.expiresAt })
  return row && row.expiresAt > now ? row : null
}
