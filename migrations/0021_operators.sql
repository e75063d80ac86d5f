-- What operators did and why. Append-only.
CREATE TABLE operator_action (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (length(reason) > 0),
  detail TEXT NOT NULL
);
CREATE INDEX operator_action_at_idx ON operator_action (at);
CREATE TRIGGER operator_action_no_update BEFORE UPDATE ON operator_action BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER operator_action_no_delete BEFORE DELETE ON operator_action BEGIN SELECT RAISE(ABORT, 'append-only'); END;
