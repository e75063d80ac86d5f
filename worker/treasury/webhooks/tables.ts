/** An entry of storage/migrations.ts. */
export const webhookTables = `
  -- Webhooks. events: JSON; version rises when a webhook begins anew; secrets are sealed.
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, enabled INTEGER NOT NULL, disabled_reason TEXT,
    version INTEGER NOT NULL, secret TEXT NOT NULL, old_secret TEXT, old_secret_until INTEGER, created_at INTEGER NOT NULL
  );
  -- Events on their way to the WebhookSender, as they were when they happened. endpoints: JSON of webhook ids.
  CREATE TABLE webhook_event (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, endpoints TEXT NOT NULL
  );
`
