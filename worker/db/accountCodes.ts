import { and, eq, gt, lt, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { accountCode, accountLink, addressNonce, type CodePurpose } from './schema.ts'

const maxTries = 5

/**
 * Stores a code and the link that is mailed with it. Invalidates an earlier code but not an earlier link, so that a link
 * cannot be voided by requesting another mail.
 */
export async function putCodeAndLink(
  db: Db,
  input: { userId: string; purpose: CodePurpose; hash: string; linkHash: string; expiresAt: number },
): Promise<void> {
  const { userId, purpose, hash, linkHash, expiresAt } = input
  await db.batch([
    db
      .insert(accountCode)
      .values({ userId, purpose, hash, expiresAt })
      .onConflictDoUpdate({
        target: [accountCode.userId, accountCode.purpose],
        set: { hash, expiresAt, tries: 0 },
      }),
    db.insert(accountLink).values({ tokenHash: linkHash, userId, purpose, expiresAt }),
  ])
}

/** Stores a link that is not mailed, for a person who has just proved the email address. */
export async function putLink(
  db: Db,
  link: { tokenHash: string; userId: string; purpose: CodePurpose; expiresAt: number },
): Promise<void> {
  await db.insert(accountLink).values(link)
}

/** Consumes the link and returns its user's id. Null if the link is unknown, used, expired or for another purpose. */
export async function takeLink(
  db: Db,
  link: { tokenHash: string; purpose: CodePurpose; now: number },
): Promise<string | null> {
  const [taken] = await db
    .delete(accountLink)
    .where(
      and(
        eq(accountLink.tokenHash, link.tokenHash),
        eq(accountLink.purpose, link.purpose),
        gt(accountLink.expiresAt, link.now),
      ),
    )
    .returning({ userId: accountLink.userId })
  return taken?.userId ?? null
}

/** Consumes the code. True if it is right. Counts the try before comparing, so that parallel guesses are all counted. */
export async function takeCode(
  db: Db,
  guess: { userId: string; purpose: CodePurpose; hashes: string[]; now: number },
): Promise<boolean> {
  const { userId, purpose, hashes, now } = guess
  const row = and(eq(accountCode.userId, userId), eq(accountCode.purpose, purpose))
  const [counted] = await db
    .update(accountCode)
    .set({ tries: sql`${accountCode.tries} + 1` })
    .where(and(row, lt(accountCode.tries, maxTries), gt(accountCode.expiresAt, now)))
    .returning({ hash: accountCode.hash })
  // These are HMACs under a secret key, so the time that comparing them takes reveals nothing about the code.
  const hash = counted?.hash
  if (hash === undefined || !hashes.includes(hash)) return false
  const taken = await db
    .delete(accountCode)
    .where(and(row, eq(accountCode.hash, hash)))
    .returning({ userId: accountCode.userId })
  return taken.length === 1
}

/** Stores the user's only nonce; an earlier one becomes invalid. */
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

/** Removes and returns the nonce, so that it can be used only once. Null if there is none or it has expired. */
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
