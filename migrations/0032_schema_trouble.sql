-- Another kind of trouble: newer code has changed an object's database, and the code that runs now must not use it. SQLite
-- cannot change a CHECK, so the table is built again.
CREATE TABLE object_trouble_new (
  kind TEXT NOT NULL CHECK (kind IN ('wallet_halted', 'account_size', 'alarm_lost', 'schema_newer')),
  subject TEXT NOT NULL,
  user_id TEXT,
  edition INTEGER NOT NULL,
  since INTEGER NOT NULL,
  detail TEXT,
  PRIMARY KEY (kind, subject)
);
INSERT INTO object_trouble_new SELECT kind, subject, user_id, edition, since, detail FROM object_trouble;
DROP TABLE object_trouble;
ALTER TABLE object_trouble_new RENAME TO object_trouble;
