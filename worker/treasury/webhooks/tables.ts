/** An entry of storage/migrations.ts. */
export const webhookTables = `
  -- Webhooks. events: JSON; version rises when the failures of a webhook are cleared.
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, enabled INTEGER NOT NULL, disabled_reason TEXT,
    version INTEGER NOT NULL, sealed_secret TEXT NOT NULL, sealed_old_secret TEXT, old_secret_until INTEGER, created_at INTEGER NOT NULL
  );
  -- Events on their way to the WebhookSender, as they were when they happened. endpoints: JSON of webhook ids.
  CREATE TABLE webhook_event (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, endpoints TEXT NOT NULL
  );
`
