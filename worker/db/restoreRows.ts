import { and, eq, gt, inArray, isNull, notInArray, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import {
  agentCredential,
  deliveredMessage,
  devInbox,
  payoutView,
  transactionView,
  user,
  userSuspension,
  webhookEndpoint,
} from './schema.ts'

/** What a Treasury of an earlier time is brought up to date from. */

export type KeptCursor = { createdAt: number; id: string }
export type KeptRow = KeptCursor & { kept: string; payout: string | null }

/**
 * The account's payments, oldest first, with what is kept of them. Returns all of them: the object's outbox number
 * may have risen since it was put back, so it can't tell which rows are newer.
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

/** By wallet, the last deadline (unix seconds) of its payments' signatures. */
export const keptDeadlines = (db: Db, userId: string): Promise<{ walletId: string; deadline: number | null }[]> =>
  db
    .select({
      walletId: transactionView.walletId,
      deadline: sql<number | null>`max(${transactionView.kept}->>'$.row.max_deadline')`,
    })
    .from(transactionView)
    .where(eq(transactionView.userId, userId))
    .groupBy(transactionView.walletId)

/** Deletes rows without a payment that the Treasury no longer has: approvals and their outcomes. Refusals stay. */
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

/** Which of these messages have left, as D1 has heard; on a local stack they are in its inbox. */
export async function deliveredOf(db: Db, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const wanted = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const [sent, local] = await db.batch([
    db.select({ id: deliveredMessage.id }).from(deliveredMessage).where(sql`${deliveredMessage.id} IN ${wanted}`),
    db.select({ id: devInbox.id }).from(devInbox).where(sql`${devInbox.id} IN ${wanted}`),
  ])
  return new Set([...sent, ...local].map(({ id }) => id))
}

/** What D1 knows of the account itself. */
export async function accountRows(db: Db, userId: string) {
  const [owner, suspension, credentials, webhooks] = await db.batch([
    db.select().from(user).where(eq(user.id, userId)),
    db.select().from(userSuspension).where(eq(userSuspension.userId, userId)),
    db
      .select({ hash: agentCredential.hash, expiresAt: agentCredential.expiresAt })
      .from(agentCredential)
      .where(and(eq(agentCredential.userId, userId), isNull(agentCredential.revokedAt))),
    db
      .select({ id: webhookEndpoint.id })
      .from(webhookEndpoint)
      .where(and(eq(webhookEndpoint.userId, userId), inArray(webhookEndpoint.state, ['on']))),
  ])
  return {
    owner: owner[0] ?? null,
    suspension: suspension[0] ?? null,
    credentials,
    webhooksOn: webhooks.map(({ id }) => id),
  }
}
