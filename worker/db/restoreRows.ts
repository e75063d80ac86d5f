import { eq, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { deliveredMessage, devInbox, user, userSuspension } from './schema.ts'

/** Rows of D1 from which a Treasury that was restored to an earlier time is brought up to date. */

/** Which of these messages D1 has recorded as sent; on a local stack, they are in the dev inbox. */
export async function deliveredOf(db: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const wanted = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const [sent, local] = await db.batch([
    db.select({ id: deliveredMessage.id }).from(deliveredMessage).where(sql`${deliveredMessage.id} IN ${wanted}`),
    db.select({ id: devInbox.id }).from(devInbox).where(sql`${devInbox.id} IN ${wanted}`),
  ])
  return new Set([...sent, ...local].map(({ id }) => id))
}

/** D1's data about the account itself. */
export async function accountRows(db: Db, userId: string) {
  const [owner, suspension] = await db.batch([
    db.select().from(user).where(eq(user.id, userId)),
    db.select().from(userSuspension).where(eq(userSuspension.userId, userId)),
  ])
  return { owner: owner[0] ?? null, suspension: suspension[0] ?? null }
}
