-- Browsers that want push messages. The id is the SHA-256 of the endpoint in hex: a browser belongs to the user who last
-- signed in there.
CREATE TABLE push_subscription (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
);
CREATE INDEX push_subscription_user_idx ON push_subscription (user_id, seen_at DESC);
