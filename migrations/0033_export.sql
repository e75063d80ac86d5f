-- Daily exports to the bucket. id: when it began. kek_version: of the KEK then; its parts may be under later ones. Times in ms.
CREATE TABLE export_run (
  id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  kek_version INTEGER NOT NULL
);
-- What is written of it. last_row: where the next part goes on in this table; is_end: this was the last of the table.
CREATE TABLE export_part (
  run_id TEXT NOT NULL REFERENCES export_run (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  key TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  table_name TEXT NOT NULL,
  last_row INTEGER NOT NULL,
  is_end INTEGER NOT NULL,
  PRIMARY KEY (run_id, part)
);
