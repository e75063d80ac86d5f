import { and, eq, gt, isNull, notInArray, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { deliveredMessage, devInbox, payoutView, transactionView, user, userSuspension } from './schema.ts'

/** Rows of D1 from which a Treasury that was restored to an earlier time is brought up to date. */

export type KeptCursor = { createdAt: number; id: string }
export type KeptRow = KeptCursor & { kept: string; payout: string | null }

/**
 * The account's payments, oldest first, with their kept data. Returns all of them: the object's outbox number may have risen
 * since it was restored, so it cannot tell which rows are newer.
 */
export const keptRows = (db: Db, userId: string, after: KeptCursor, limit: number): Promise<KeptRow[]> =>
  db
    .select({
      id: transactionView.id,
      createdAt: transactionView.createdAt,
      kept: sql<string>`${transactionView.kept}`,
      payout: payoutView.kept,
    })
    .from(transactionView)
    .leftJoin(payoutView, eq(payoutView.id, transactionView.id))
    .where(
      and(
        eq(transactionView.userId, userId),
        sql`${transactionView.kept} IS NOT NULL`,
        sql`(${transactionView.createdAt}, ${transactionView.id}) > (${after.createdAt}, ${after.id})`,
      ),
    )
    .orderBy(transactionView.createdAt, transactionView.id)
    .limit(limit)

/** The last deadline (unix seconds) of each wallet's payment signatures. */
export const keptDeadlines = (db: Db, userId: string): Promise<{ walletId: string; deadline: number | null }[]> =>
  db
    .select({
      walletId: transactionView.walletId,
      deadline: sql<number | null>`max(${transactionView.kept}->>'$.row.max_deadline')`,
    })
    .from(transactionView)
    .where(eq(transactionView.userId, userId))
    .groupBy(transactionView.walletId)

/** Deletes rows without a payment that the Treasury no longer has: approvals and their outcomes. Refusals are kept. */
export async function deleteForgottenRows(db: Db, userId: string, seq: number, upTo: number): Promise<void> {
  await db
    .delete(transactionView)
    .where(
      and(
        eq(transactionView.userId, userId),
        isNull(transactionView.kept),
        gt(transactionView.seq, seq),
        sql`${transactionView.seq} < ${upTo}`,
        notInArray(transactionView.status, ['POLICY_REJECTED', 'VALIDATION_FAILED']),
      ),
    )
}

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
