import { and, asc, countDistinct, eq, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Db } from './d1.ts'
import { webhookEndpoint, webhookStop } from './schema.ts'

export type WebhookState = 'on' | 'off' | 'disabled'

/** Stores the state as the Treasury reports it; ignores older editions. Switching a webhook on clears its failures. */
export async function writeWebhook(
  db: Db,
  row: { id: string; userId: string; state: WebhookState; edition: number },
): Promise<void> {
  await db
    .insert(webhookEndpoint)
    .values(row)
    .onConflictDoUpdate({
      target: webhookEndpoint.id,
      set: {
        state: row.state,
        edition: row.edition,
        failingSince: sql`CASE WHEN ${webhookEndpoint.state} = 'on' AND excluded.state = 'on' THEN ${webhookEndpoint.failingSince} END`,
      },
      setWhere: lt(webhookEndpoint.edition, row.edition),
    })
}

type KnownWebhook = { id: string; state: WebhookState }

/** The account's other rows that are older than this edition. */
const othersOf = (userId: string, known: KnownWebhook[], edition: number) =>
  and(
    eq(webhookEndpoint.userId, userId),
    lt(webhookEndpoint.edition, edition),
    sql`${webhookEndpoint.id} NOT IN (SELECT value->>'$.id' FROM json_each(${JSON.stringify(known)}))`,
  )

/** Number of these webhooks that are missing from D1 or differ there, plus D1's other webhooks of the account. */
export async function countDifferingWebhooks(
  db: Db,
  userId: string,
  known: KnownWebhook[],
  edition: number,
): Promise<number> {
  const found = await db.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM json_each(${JSON.stringify(known)}) AS wanted
        LEFT JOIN ${webhookEndpoint} ON ${webhookEndpoint.id} = wanted.value->>'$.id'
        WHERE ${webhookEndpoint.state} IS NOT wanted.value->>'$.state'`,
  )
  return found!.n + (await db.$count(webhookEndpoint, othersOf(userId, known, edition)))
}

/** Makes these the account's webhooks and deletes all others. */
export async function restoreWebhooks(db: Db, userId: string, known: KnownWebhook[], edition: number): Promise<void> {
  await db.delete(webhookEndpoint).where(othersOf(userId, known, edition))
  for (const { id, state } of known) await writeWebhook(db, { id, userId, state, edition })
}

export async function deleteWebhookRow(db: Db, id: string): Promise<void> {
  await db.delete(webhookEndpoint).where(eq(webhookEndpoint.id, id))
}

/** `since` in ms; null once the webhook works again. */
export async function writeWebhookFailing(db: Db, id: string, since: number | null): Promise<void> {
  await db.update(webhookEndpoint).set({ failingSince: since }).where(eq(webhookEndpoint.id, id))
}

/** `failing` counts webhooks that are switched on and whose recent attempts all failed. */
export async function countWebhooks(db: Db): Promise<{ on: number; failing: number; disabled: number }> {
  const [on, failing, disabled] = await Promise.all([
    db.$count(webhookEndpoint, eq(webhookEndpoint.state, 'on')),
    db.$count(webhookEndpoint, isFailing),
    db.$count(webhookEndpoint, eq(webhookEndpoint.state, 'disabled')),
  ])
  return { on, failing, disabled }
}

/** Accounts with a webhook that is switched on, and those of them with one that fails. */
export async function countWebhookAccounts(db: Db): Promise<{ on: number; failing: number }> {
  const accounts = async (where: SQL | undefined) =>
    (await db
      .select({ n: countDistinct(webhookEndpoint.userId) })
      .from(webhookEndpoint)
      .where(where)
      .get())!.n
  const [on, failing] = await Promise.all([accounts(eq(webhookEndpoint.state, 'on')), accounts(isFailing)])
  return { on, failing }
}

const isFailing = and(eq(webhookEndpoint.state, 'on'), isNotNull(webhookEndpoint.failingSince))

/** Longest failing first. */
export const listFailingWebhooks = (db: Db, limit: number) =>
  db
    .select({ id: webhookEndpoint.id, userId: webhookEndpoint.userId, failingSince: webhookEndpoint.failingSince })
    .from(webhookEndpoint)
    .where(isFailing)
    .orderBy(asc(webhookEndpoint.failingSince))
    .limit(limit)

/** When an operator stopped all webhooks (ms); null if they are being sent. */
export async function webhooksStoppedSince(db: Db): Promise<number | null> {
  return (await db.select({ since: webhookStop.since }).from(webhookStop).get())?.since ?? null
}
export const areWebhooksStopped = async (db: Db): Promise<boolean> => (await webhooksStoppedSince(db)) !== null

/** `now` in ms. Stopping twice keeps the first time. */
export async function writeWebhookStop(db: Db, isStopped: boolean, now: number): Promise<void> {
  if (isStopped) await db.insert(webhookStop).values({ one: 1, since: now }).onConflictDoNothing()
  else await db.delete(webhookStop)
}
