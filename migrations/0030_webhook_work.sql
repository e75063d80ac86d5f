-- Accounts with events to deliver. due_at: when their WebhookSender means to go on. The cron wakes those that are late;
-- poked_at: when it last did. Both in ms.
CREATE TABLE webhook_work (
  user_id TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL,
  poked_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX webhook_work_due_idx ON webhook_work (due_at);
