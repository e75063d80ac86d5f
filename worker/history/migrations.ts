import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'

/**
 * Schema of a History. The first entry is changed in place until the first deployment; from then on, append. `created_at` is
 * in ms, amounts are micro-USDC. listsSchema.ts names the columns for queries; a test compares the two.
 */
export const historyMigrations: Migrations = [
  newSchema(`
  -- How far it has followed its Treasury (Position in api.ts).
  CREATE TABLE position (
    one INTEGER PRIMARY KEY CHECK (one = 1), incarnation TEXT NOT NULL, seq INTEGER NOT NULL,
    audit_seq INTEGER, audit_hash TEXT
  );

  -- seq: number of the row's last change. body: the JSON that the API returns. kept: JSON that a Treasury is restored from.
  -- recipient: the parts of the body that a filter by recipient searches, in lower case, one per line, because reading them
  -- from the JSON of 10,000 rows takes four times as long.
  CREATE TABLE transaction_view (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, created_at INTEGER NOT NULL, status TEXT NOT NULL, category TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0), wallet_id TEXT NOT NULL, chain TEXT NOT NULL, agent_id TEXT, contact_id TEXT,
    recipient TEXT GENERATED ALWAYS AS (lower(
      coalesce(body->>'$.recipientEmail', '') || char(10) || coalesce(body->>'$.recipientPhone', '') || char(10)
      || coalesce(body->>'$.toAddress', '') || char(10) || coalesce(body->>'$.contact.name', ''))) STORED,
    body TEXT NOT NULL, kept TEXT
  );
  CREATE INDEX transaction_view_time ON transaction_view (created_at DESC, id DESC);
  CREATE INDEX transaction_view_amount ON transaction_view (amount DESC, id DESC);
  CREATE INDEX transaction_view_refused ON transaction_view (created_at) WHERE status = 'POLICY_REJECTED';

  CREATE TABLE payout_view (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, created_at INTEGER NOT NULL, status TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    recipient TEXT GENERATED ALWAYS AS (lower(
      coalesce(body->>'$.recipientEmail', '') || char(10) || coalesce(body->>'$.recipientPhone', ''))) STORED,
    body TEXT NOT NULL, kept TEXT
  );
  CREATE INDEX payout_view_time ON payout_view (created_at DESC, id DESC);
  CREATE INDEX payout_view_amount ON payout_view (amount DESC, id DESC);

  -- What a Treasury is restored from besides payments: \`salt\`, that of its payouts' keys, sealed; \`wallet:<id>\`, a wallet
  -- without its keys, as JSON.
  CREATE TABLE kept_value (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `),
]

export const historySchema: Schema = { migrations: historyMigrations, lowest: historyMigrations.length }
