import { dayMs } from '#domain/time.ts'
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
  -- change: what the row did to its wallet's balance (balanceChange). recipient: the parts of the body that a filter by recipient searches, in lower case, one per line, because reading them
  -- from the JSON of 10,000 rows takes four times as long.
  CREATE TABLE transaction_view (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, created_at INTEGER NOT NULL, status TEXT NOT NULL, category TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0), change INTEGER NOT NULL DEFAULT 0, wallet_id TEXT NOT NULL, chain TEXT NOT NULL, agent_id TEXT, contact_id TEXT,
    recipient TEXT GENERATED ALWAYS AS (lower(
      coalesce(body->>'$.recipientEmail', '') || char(10) || coalesce(body->>'$.recipientPhone', '') || char(10)
      || coalesce(body->>'$.toAddress', '') || char(10) || coalesce(body->>'$.contact.name', ''))) STORED,
    body TEXT NOT NULL, kept TEXT
  );
  CREATE INDEX transaction_view_time ON transaction_view (created_at DESC, id DESC);
  CREATE INDEX transaction_view_amount ON transaction_view (amount DESC, id DESC);
  -- Sums of change by UTC day, which triggers keep.
  CREATE TABLE balance_day (
    wallet_id TEXT NOT NULL, day INTEGER NOT NULL, change INTEGER NOT NULL, PRIMARY KEY (wallet_id, day)
  ) WITHOUT ROWID;
  -- The wallets of these sums.
  CREATE TABLE balance_wallet (wallet_id TEXT PRIMARY KEY, address TEXT NOT NULL, chain TEXT NOT NULL) WITHOUT ROWID;
  CREATE TRIGGER balance_added AFTER INSERT ON transaction_view WHEN NEW.change <> 0 BEGIN
    INSERT INTO balance_day VALUES (NEW.wallet_id, NEW.created_at / ${dayMs}, NEW.change)
      ON CONFLICT DO UPDATE SET change = change + excluded.change;
  END;
  CREATE TRIGGER balance_removed AFTER DELETE ON transaction_view WHEN OLD.change <> 0 BEGIN
    UPDATE balance_day SET change = change - OLD.change WHERE wallet_id = OLD.wallet_id AND day = OLD.created_at / ${dayMs};
  END;

  CREATE TABLE payout_view (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, created_at INTEGER NOT NULL, status TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    recipient TEXT GENERATED ALWAYS AS (lower(
      coalesce(body->>'$.recipientEmail', '') || char(10) || coalesce(body->>'$.recipientPhone', ''))) STORED,
    body TEXT NOT NULL, kept TEXT
  );
  CREATE INDEX payout_view_time ON payout_view (created_at DESC, id DESC);
  CREATE INDEX payout_view_amount ON payout_view (amount DESC, id DESC);

  -- What figures count (Counted in api.ts), and its sums, which triggers keep: each change of a payment deletes its row here and
  -- inserts the new one. method: '' if it was refused. recipient: null if it moved nothing and will not.
  CREATE TABLE counted (
    id TEXT PRIMARY KEY, chain TEXT NOT NULL, wallet_id TEXT NOT NULL, at INTEGER NOT NULL, amount INTEGER NOT NULL,
    outcome TEXT NOT NULL, method TEXT NOT NULL, is_unclaimed INTEGER NOT NULL,
    recipient TEXT, contact_id TEXT, name TEXT, address TEXT
  ) WITHOUT ROWID;
  CREATE INDEX counted_recipient ON counted (chain, recipient, at, id) WHERE recipient IS NOT NULL;
  CREATE INDEX counted_failed ON counted (chain, at) WHERE outcome = 'failed';
  CREATE TABLE total (
    chain TEXT NOT NULL, wallet_id TEXT NOT NULL, outcome TEXT NOT NULL, method TEXT NOT NULL, is_unclaimed INTEGER NOT NULL,
    n INTEGER NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (chain, wallet_id, outcome, method, is_unclaimed)
  ) WITHOUT ROWID;
  -- last_id: the newest payment to this recipient.
  CREATE TABLE recipient_total (
    chain TEXT NOT NULL, recipient TEXT NOT NULL, n INTEGER NOT NULL, amount INTEGER NOT NULL, last_at INTEGER, last_id TEXT,
    PRIMARY KEY (chain, recipient)
  ) WITHOUT ROWID;
  CREATE INDEX recipient_total_last ON recipient_total (chain, last_at);
  CREATE TRIGGER counted_insert AFTER INSERT ON counted BEGIN
    INSERT INTO total (chain, wallet_id, outcome, method, is_unclaimed, n, amount)
      VALUES (NEW.chain, NEW.wallet_id, NEW.outcome, NEW.method, NEW.is_unclaimed, 1, NEW.amount)
      ON CONFLICT DO UPDATE SET n = n + 1, amount = amount + excluded.amount;
    INSERT INTO recipient_total (chain, recipient, n, amount, last_at, last_id)
      SELECT NEW.chain, NEW.recipient, 1, NEW.amount, NEW.at, NEW.id WHERE NEW.recipient IS NOT NULL
      ON CONFLICT DO UPDATE SET n = n + 1, amount = amount + excluded.amount, last_at = max(last_at, excluded.last_at),
        last_id = CASE WHEN (excluded.last_at, excluded.last_id) > (last_at, last_id) THEN excluded.last_id ELSE last_id END;
  END;
  CREATE TRIGGER counted_delete AFTER DELETE ON counted BEGIN
    UPDATE total SET n = n - 1, amount = amount - OLD.amount WHERE chain = OLD.chain AND wallet_id = OLD.wallet_id
      AND outcome = OLD.outcome AND method = OLD.method AND is_unclaimed = OLD.is_unclaimed;
    DELETE FROM total WHERE chain = OLD.chain AND wallet_id = OLD.wallet_id AND outcome = OLD.outcome
      AND method = OLD.method AND is_unclaimed = OLD.is_unclaimed AND n = 0;
    UPDATE recipient_total SET n = n - 1, amount = amount - OLD.amount WHERE chain = OLD.chain AND recipient = OLD.recipient;
    UPDATE recipient_total SET (last_at, last_id) = (SELECT at, id FROM counted
        WHERE chain = OLD.chain AND recipient = OLD.recipient ORDER BY at DESC, id DESC LIMIT 1)
      WHERE chain = OLD.chain AND recipient = OLD.recipient AND last_id = OLD.id;
    DELETE FROM recipient_total WHERE chain = OLD.chain AND recipient = OLD.recipient AND n = 0;
  END;

  -- Decisions about agents' payments (Decided in api.ts), as JSON. n orders those of the same millisecond. recipient: the key of
  -- counted.
  CREATE TABLE decision (
    id TEXT PRIMARY KEY, group_id TEXT NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL, chain TEXT NOT NULL, recipient TEXT,
    body TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX decision_group ON decision (group_id, at, n);

  -- What a Treasury is restored from besides payments: \`salt\`, that of its payouts' keys, sealed; \`wallet:<id>\`, a wallet
  -- without its keys, as JSON.
  CREATE TABLE kept_value (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `),
]

export const historySchema: Schema = { migrations: historyMigrations, lowest: historyMigrations.length }
