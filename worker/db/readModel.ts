import type { Escrow } from '../schemas/escrow.ts'
import type { Transaction } from '../schemas/transaction.ts'

/** Named queries over the read model (migrations/0002). Written by Treasuries, read by lists; never asked about money. */

/** A row of a list as it is shown, and its amount in micro-USDC. `createdAt` is ISO 8601. */
export type Listed<Row> = { row: Row; amount: number }

/** One statement however many rows. An older edition (`seq`) never overwrites a newer one. */
export function upsertTransactions(
  db: D1Database,
  userId: string,
  seq: number,
  rows: Listed<Transaction>[],
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO transaction_view (id, user_id, seq, created_at, status, category, amount, wallet_id, agent_id, contact_id, escrow_id, body)
       SELECT value->>'$.row.id', ?1, ?2, value->>'$.at', value->>'$.row.status', value->>'$.row.category', value->>'$.amount',
         value->>'$.row.fromWalletId', value->>'$.row.agentId', value->>'$.row.contactId', value->>'$.row.escrowId', value->'$.row'
       FROM json_each(?3) WHERE true
       ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, status = excluded.status, body = excluded.body WHERE excluded.seq > transaction_view.seq`,
    )
    .bind(userId, seq, JSON.stringify(rows.map(withTime)))
}

export function upsertPayouts(
  db: D1Database,
  userId: string,
  seq: number,
  rows: Listed<Escrow>[],
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO payout_view (id, user_id, seq, created_at, status, amount, wallet_id, body)
       SELECT value->>'$.row.id', ?1, ?2, value->>'$.at', value->>'$.row.status', value->>'$.amount',
         coalesce(value->>'$.row.sourceWallet.id', ''), value->'$.row'
       FROM json_each(?3) WHERE true
       ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, status = excluded.status, body = excluded.body WHERE excluded.seq > payout_view.seq`,
    )
    .bind(userId, seq, JSON.stringify(rows.map(withTime)))
}

const withTime = <Row extends { createdAt: string }>(listed: Listed<Row>) => ({
  ...listed,
  at: Date.parse(listed.row.createdAt),
})

export function insertClaimLink(
  db: D1Database,
  link: { tokenHash: string; userId: string; payoutId: string; address: string; createdAt: number },
): D1PreparedStatement {
  return db
    .prepare(
      'INSERT INTO claim_link (token_hash, user_id, payout_id, address, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    )
    .bind(link.tokenHash, link.userId, link.payoutId, link.address, link.createdAt)
}

type Reader = Pick<D1DatabaseSession, 'prepare' | 'batch'>

export async function findClaimLink(
  db: Reader,
  tokenHash: string,
): Promise<{ userId: string; payoutId: string } | null> {
  return db
    .prepare('SELECT user_id AS userId, payout_id AS payoutId FROM claim_link WHERE token_hash = ?')
    .bind(tokenHash)
    .first<{ userId: string; payoutId: string }>()
}

export async function isPayoutAddress(db: D1Database, address: string): Promise<boolean> {
  return (await db.prepare('SELECT 1 AS one FROM claim_link WHERE address = ?').bind(address).first()) !== null
}

export const noteBusy = (db: D1Database, userId: string, since: number) =>
  db
    .prepare(
      'INSERT INTO busy_treasury (user_id, since) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET since = excluded.since',
    )
    .bind(userId, since)
    .run()
export const noteIdle = (db: D1Database, userId: string) =>
  db.prepare('DELETE FROM busy_treasury WHERE user_id = ?').bind(userId).run()

/**
 * Treasuries that were busy and have not said so again since `before` (ms), to be poked `now`. In turns: one that cannot
 * be helped keeps its row, for people to see, but stands behind those that were not poked yet.
 */
export async function takeOverdue(db: D1Database, before: number, now: number, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `UPDATE busy_treasury SET poked_at = ? WHERE user_id IN
         (SELECT user_id FROM busy_treasury WHERE since < ? ORDER BY poked_at, since LIMIT ?) RETURNING user_id`,
    )
    .bind(now, before, limit)
    .all<{ user_id: string }>()
  return results.map((row) => row.user_id)
}

export const userContact = (db: D1Database, userId: string) =>
  db.prepare('SELECT email, name FROM user WHERE id = ?').bind(userId).first<{ email: string; name: string | null }>()
