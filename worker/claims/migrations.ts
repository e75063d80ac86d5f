import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'

/** Schema of a ClaimDesk. The first entry is changed in place until the first deployment; from then on, append. */
export const claimDeskMigrations: Migrations = [
  newSchema(`
  -- expires_at and locked_until are in ms.
  CREATE TABLE desk (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- JSON of DeskView.
    view TEXT NOT NULL,
    wrong_total INTEGER NOT NULL DEFAULT 0, wrong_now INTEGER NOT NULL DEFAULT 0,
    locked_until INTEGER NOT NULL DEFAULT 0, counted_version INTEGER NOT NULL DEFAULT 0,
    -- New codes that the desk sends after too many wrong ones: how many, when the last one was due, and when the next one is.
    new_codes INTEGER NOT NULL DEFAULT 0, new_code_last_at INTEGER NOT NULL DEFAULT 0, new_code_due_at INTEGER
  );
  CREATE TABLE session (
    hash TEXT PRIMARY KEY, code_version INTEGER NOT NULL, expires_at INTEGER NOT NULL
  );
  `),
]

export const claimDeskSchema: Schema = { migrations: claimDeskMigrations, lowest: claimDeskMigrations.length }
