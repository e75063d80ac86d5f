import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'

/** Schema of a WebhookSender. The first entry is changed in place until the first deployment; from then on, append. Times: ms. */
export const webhookSenderMigrations: Migrations = [
  newSchema(`
  CREATE TABLE timer (kind TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;
  -- body: the JSON that is sent.
  CREATE TABLE event (id TEXT PRIMARY KEY, type TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
  -- since: when its three days of attempts began. due_at: the next attempt; null if none. log: JSON of the newest attempts.
  CREATE TABLE delivery (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL, endpoint_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('waiting','delivered','failed')),
    attempts INTEGER NOT NULL DEFAULT 0, since INTEGER NOT NULL, due_at INTEGER, ended_at INTEGER,
    log TEXT NOT NULL DEFAULT '[]', problem TEXT, UNIQUE (event_id, endpoint_id)
  );
  CREATE INDEX delivery_due ON delivery (endpoint_id, due_at) WHERE status = 'waiting';
  CREATE INDEX delivery_page ON delivery (endpoint_id, seq);
  CREATE INDEX delivery_ended ON delivery (ended_at) WHERE ended_at IS NOT NULL;
  -- failures: in a row. failing_since: the first of them. next_at: no attempt before. disable: the reason that is still to
  -- be reported to the Treasury. version: the target's, so that switching it on again clears its failures.
  CREATE TABLE endpoint (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0, failing_since INTEGER,
    next_at INTEGER NOT NULL DEFAULT 0, disable TEXT
  ) WITHOUT ROWID;
  `),
]

export const webhookSenderSchema: Schema = {
  migrations: webhookSenderMigrations,
  lowest: webhookSenderMigrations.length,
}
