-- Accounts whose Treasury is put back to an earlier time. It is kept here because the object forgets it by going back. frozen_at:
-- when the Treasury confirmed that it does nothing more; null: it did not. ended_at null: it is under way. Times in ms.
CREATE TABLE user_restore (
  user_id TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  frozen_at INTEGER,
  ended_at INTEGER
);
