import { eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { claimLink } from './schema.ts'

export type ClaimLinkRow = typeof claimLink.$inferInsert

/** Does nothing if the link exists already. */
export async function insertClaimLink(db: Db, link: ClaimLinkRow): Promise<void> {
  await db.insert(claimLink).values(link).onConflictDoNothing()
}

/** Inserts many links. Skips those that exist already. */
export async function insertClaimLinks(db: Db, links: ClaimLinkRow[]): Promise<void> {
  if (links.length === 0) return
  await db
    .insert(claimLink)
    .select(
      sql`SELECT value->>'$.tokenHash', value->>'$.userId', value->>'$.payoutId', value->>'$.address', value->>'$.createdAt'
          FROM json_each(${JSON.stringify(links)}) WHERE true`,
    )
    .onConflictDoNothing()
}

/** How many of these links are missing. */
export async function countMissingLinks(db: Db, links: ClaimLinkRow[]): Promise<number> {
  const wanted = JSON.stringify(links.map(({ tokenHash }) => tokenHash))
  const found = await db.$count(claimLink, sql`${claimLink.tokenHash} IN (SELECT value FROM json_each(${wanted}))`)
  return links.length - found
}

/** The payout that a link leads to, or null. */
export const findClaimLink = (db: Db, tokenHash: string): Promise<LinkedPayout | null> =>
  findWhere(db, eq(claimLink.tokenHash, tokenHash))

/** Whether this is the address of any payout, open or closed. The case of letters does not matter. */
export async function isPayoutAddress(db: Db, address: string): Promise<boolean> {
  return (await db.$count(claimLink, eq(claimLink.address, address))) > 0
}

/** Owner and id of the payout with this id, or null if no link leads to it. */
export const findPayoutLink = (db: Db, payoutId: string): Promise<LinkedPayout | null> =>
  findWhere(db, eq(claimLink.payoutId, payoutId))

type LinkedPayout = { userId: string; payoutId: string }

async function findWhere(db: Db, condition: SQL): Promise<LinkedPayout | null> {
  const { userId, payoutId } = claimLink
  return (await db.select({ userId, payoutId }).from(claimLink).where(condition).get()) ?? null
}
