/** An entry of storage/migrations.ts: what D1 is rebuilt from. */
export const ownerTables = `
  -- The owner as D1 has them, so that D1 can be rebuilt. password_at: when their password was chosen (ms).
  CREATE TABLE owner (
    one INTEGER PRIMARY KEY CHECK (one = 1), email TEXT NOT NULL, name TEXT, status TEXT NOT NULL,
    temporary_since INTEGER, public_address TEXT, password_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  );
  -- Null if it was created with its agent.
  ALTER TABLE credential ADD COLUMN created_at INTEGER;
`

/** Columns for what D1 keeps of the account, so that the object can be restored to an earlier time. */
export const keptTables = `
  ALTER TABLE payment ADD COLUMN request_key TEXT;
  ALTER TABLE wallet ADD COLUMN start_block INTEGER;
  ALTER TABLE wallet ADD COLUMN start_balance INTEGER;
  CREATE TABLE kept_salt (one INTEGER PRIMARY KEY CHECK (one = 1), sealed_salt TEXT NOT NULL);
`
