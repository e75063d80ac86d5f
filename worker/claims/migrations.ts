import type { Migrations } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'

/** Schema of a ClaimDesk, append-only: a change is a new entry. `expires_at` and `locked_until` are in ms. */
export const claimDeskMigrations: Migrations = [
  // IF NOT EXISTS: desks created before this list have these tables, but no record of a version.
  `
  CREATE TABLE IF NOT EXISTS desk (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- JSON of DeskView.
    view TEXT NOT NULL,
    wrong_total INTEGER NOT NULL DEFAULT 0, wrong_now INTEGER NOT NULL DEFAULT 0,
    locked_until INTEGER NOT NULL DEFAULT 0, counted_version INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS session (
    hash TEXT PRIMARY KEY, code_version INTEGER NOT NULL, expires_at INTEGER NOT NULL
  );
  `,
  `
  -- New codes that the desk sends after too many wrong ones: how many, when the last one was due, and when the next one is.
  ALTER TABLE desk ADD COLUMN new_codes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE desk ADD COLUMN new_code_last_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE desk ADD COLUMN new_code_due_at INTEGER;
  `,
]

export const claimDeskSchema: Schema = { migrations: claimDeskMigrations, lowest: claimDeskMigrations.length }
