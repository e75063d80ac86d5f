import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { hourMs } from '#domain/time.ts'
import type { Db } from './d1.ts'
import { agentCredential } from './schema.ts'

/** A valid credential, as the Treasury knows it. Times in ms. */
export type LiveCredential = {
  hash: string
  kind: 'secret' | 'api_key'
  agentId: string
  clientId: string
  createdAt: number
  expiresAt: number | null
}

/** New credentials are written to D1 before the Treasury has them, so those younger than this are left alone. */
const mintingMs = hourMs

const isOf = (userId: string, live: LiveCredential[], now: number) =>
  and(
    eq(agentCredential.userId, userId),
    isNull(agentCredential.revokedAt),
    lt(agentCredential.createdAt, now - mintingMs),
    sql`(${agentCredential.expiresAt} IS NULL OR ${agentCredential.expiresAt} > ${now})`,
    sql`${agentCredential.hash} NOT IN (SELECT value FROM json_each(${JSON.stringify(live.map(({ hash }) => hash))}))`,
  )

/** Number of these credentials that are missing from D1 or differ there, plus those in D1 that are no longer valid. */
export async function countDifferingCredentials(
  db: Db,
  userId: string,
  live: LiveCredential[],
  now: number,
): Promise<number> {
  const [differing, over] = await Promise.all([
    db.get<{ n: number }>(
      sql`SELECT count(*) AS n FROM json_each(${JSON.stringify(live)}) AS wanted
          LEFT JOIN ${agentCredential} ON ${agentCredential.hash} = wanted.value->>'$.hash'
          WHERE ${agentCredential.hash} IS NULL OR ${agentCredential.revokedAt} IS NOT NULL
            OR ${agentCredential.expiresAt} IS NOT wanted.value->>'$.expiresAt'`,
    ),
    db.$count(agentCredential, isOf(userId, live, now)),
  ])
  return differing!.n + over
}

/** Makes these the account's credentials and revokes all others. */
export async function restoreCredentials(db: Db, userId: string, live: LiveCredential[], now: number): Promise<void> {
  await db.batch([
    db
      .update(agentCredential)
      .set({ revokedAt: now })
      .where(isOf(userId, live, now)),
    db
      .insert(agentCredential)
      .select(
        sql`SELECT value->>'$.hash', value->>'$.kind', ${userId}, value->>'$.agentId', value->>'$.clientId',
              value->>'$.createdAt', value->>'$.expiresAt', NULL
            FROM json_each(${JSON.stringify(live)}) WHERE true`,
      )
      .onConflictDoUpdate({
        target: agentCredential.hash,
        set: { expiresAt: sql`excluded.expires_at`, revokedAt: null },
      }),
  ])
}
