-- What operators have stopped for everybody. No row: nothing.
CREATE TABLE service_stop (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  mode TEXT NOT NULL CHECK (mode IN ('none', 'new', 'sign', 'all')),
  since INTEGER NOT NULL
);
-- Accounts that were ever suspended, for lists alone: the Treasury decides. since: null once it is lifted.
CREATE TABLE user_suspension (
  user_id TEXT PRIMARY KEY,
  since INTEGER,
  version INTEGER NOT NULL
);
CREATE INDEX user_suspension_since_idx ON user_suspension (since) WHERE since IS NOT NULL;
