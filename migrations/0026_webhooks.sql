-- Webhooks of all accounts, for operators' counts; the Treasury has the webhooks themselves. A row counts only if its
-- edition is higher than the stored one. failing_since (ms) is written by the sender: every attempt has failed since.
CREATE TABLE webhook_endpoint (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('on', 'off', 'disabled')),
  edition INTEGER NOT NULL,
  failing_since INTEGER
);
CREATE INDEX webhook_endpoint_state_idx ON webhook_endpoint (state);
CREATE INDEX webhook_endpoint_failing_idx ON webhook_endpoint (failing_since);
-- An operator has stopped webhooks for everybody since then (ms). No row: they are sent.
CREATE TABLE webhook_stop (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  since INTEGER NOT NULL
);
