import type { Migrations } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'

/** Schema of a Relayer, append-only: a change is a new entry. `…_at` is in ms, `deadline` in unix seconds, fees in wei. */
export const relayerMigrations: Migrations = [
  `
  -- The account this object drives, and its next nonce; null until the chain was asked.
  CREATE TABLE account (
    one INTEGER PRIMARY KEY CHECK (one = 1), chain_id INTEGER NOT NULL, shard INTEGER NOT NULL, next_nonce INTEGER
  );

  CREATE TABLE item (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, kind TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('send','call')),
    target TEXT NOT NULL, data TEXT NOT NULL, packed TEXT, scope TEXT, deadline INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting'
      CHECK (state IN ('waiting','parked','carried','mined','failed','dropped')),
    alone INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    parks INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
    nonce INTEGER, tx_hash TEXT, reason TEXT, finished_at INTEGER,
    version INTEGER NOT NULL DEFAULT 0, tell_at INTEGER, tell_attempts INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX item_waiting ON item (due_at) WHERE state IN ('waiting','parked');
  CREATE INDEX item_carried ON item (scope) WHERE state = 'carried';
  CREATE INDEX item_scope ON item (scope) WHERE scope IS NOT NULL;
  CREATE INDEX item_tell ON item (tell_at) WHERE tell_at IS NOT NULL;
  CREATE INDEX item_finished ON item (finished_at) WHERE finished_at IS NOT NULL;

  -- One content per scope.
  CREATE TABLE guard (scope TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
  -- Failures on chain, for the hourly quota.
  CREATE TABLE failure (user_id TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX failure_user ON failure (user_id, at);
  CREATE TABLE frozen (user_id TEXT PRIMARY KEY) WITHOUT ROWID;

  -- One row per nonce we used. Its content never changes.
  CREATE TABLE account_tx (
    nonce INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('direct','sends','calls','fill')),
    target TEXT NOT NULL, data TEXT NOT NULL, gas INTEGER NOT NULL,
    -- lost: another transaction consumed the nonce.
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open','mined','lost')),
    -- A node has accepted the newest attempt.
    accepted INTEGER NOT NULL DEFAULT 0, sent_block INTEGER, missing_at INTEGER,
    created_at INTEGER NOT NULL, closed_at INTEGER
  );
  CREATE INDEX account_tx_open ON account_tx (nonce) WHERE state = 'open';
  CREATE INDEX account_tx_closed ON account_tx (closed_at) WHERE closed_at IS NOT NULL;
  CREATE TABLE cargo (
    nonce INTEGER NOT NULL, position INTEGER NOT NULL, item_id TEXT NOT NULL, PRIMARY KEY (nonce, position)
  ) WITHOUT ROWID;
  -- Every transaction ever signed for a nonce: the original, its replacements and its cancellation.
  CREATE TABLE attempt (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, nonce INTEGER NOT NULL, raw TEXT NOT NULL,
    empty INTEGER NOT NULL, max_fee TEXT NOT NULL, max_priority_fee TEXT NOT NULL, created_at INTEGER NOT NULL
  );
  CREATE INDEX attempt_nonce ON attempt (nonce);

  -- For durable/alarms.ts.
  CREATE TABLE timer (kind TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;
  `,
  `
  -- JSON of JobRef (api.ts); null for jobs submitted before it was stored.
  ALTER TABLE item ADD COLUMN ref TEXT;
  `,
  `
  -- Field-standard names. The job table is created again because SQLite cannot change a CHECK.
  CREATE TABLE job (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, ref TEXT, user_id TEXT NOT NULL, kind TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('send','call')),
    target TEXT NOT NULL, data TEXT NOT NULL, packed TEXT, scope TEXT, deadline INTEGER NOT NULL,
    -- in_flight: in a signed transaction whose outcome is open.
    state TEXT NOT NULL DEFAULT 'waiting'
      CHECK (state IN ('waiting','parked','in_flight','mined','failed','dropped')),
    isolated INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    simulation_failures INTEGER NOT NULL DEFAULT 0, chain_failures INTEGER NOT NULL DEFAULT 0,
    nonce INTEGER, tx_hash TEXT, reason TEXT, finished_at INTEGER,
    -- Counts the changes the user's Treasury should hear of; report_at is null once it has heard of the last.
    report_version INTEGER NOT NULL DEFAULT 0, report_at INTEGER, report_attempts INTEGER NOT NULL DEFAULT 0
  );
  INSERT INTO job (seq, id, ref, user_id, kind, lane, target, data, packed, scope, deadline, state, isolated,
      queued_at, due_at, simulation_failures, chain_failures, nonce, tx_hash, reason, finished_at,
      report_version, report_at, report_attempts)
    SELECT seq, id, ref, user_id, kind, lane, target, data, packed, scope, deadline,
      CASE state WHEN 'carried' THEN 'in_flight' ELSE state END, alone,
      queued_at, due_at, parks, failures, nonce, tx_hash, reason, finished_at,
      version, tell_at, tell_attempts
    FROM item;
  DROP TABLE item;
  CREATE INDEX job_waiting ON job (due_at) WHERE state IN ('waiting','parked');
  CREATE INDEX job_in_flight ON job (scope) WHERE state = 'in_flight';
  CREATE INDEX job_scope ON job (scope) WHERE scope IS NOT NULL;
  CREATE INDEX job_report ON job (report_at) WHERE report_at IS NOT NULL;
  CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;

  -- The jobs in the transaction of a nonce, by their place in it.
  ALTER TABLE cargo RENAME TO batch_job;
  ALTER TABLE batch_job RENAME COLUMN item_id TO job_id;
  -- An empty transfer to the account itself, for a nonce whose content became useless.
  ALTER TABLE attempt RENAME COLUMN empty TO is_cancellation;

  UPDATE timer SET kind = CASE kind WHEN 'work' THEN 'deliver' WHEN 'tell' THEN 'report' ELSE kind END;
  `,
  `
  -- Gas granted to new accounts, by UTC day number.
  CREATE TABLE new_account_gas (day INTEGER PRIMARY KEY, granted INTEGER NOT NULL);
  `,
  `
  -- Who caused the job within the account, and what it has cost.
  ALTER TABLE job ADD COLUMN principal TEXT NOT NULL DEFAULT '';
  ALTER TABLE job ADD COLUMN is_new_account INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE job ADD COLUMN reverts INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE job ADD COLUMN gas_used INTEGER NOT NULL DEFAULT 0;
  -- Gas used by the mined transaction; null before.
  ALTER TABLE account_tx ADD COLUMN gas_used INTEGER;
  CREATE INDEX job_expiring ON job (deadline) WHERE state IN ('waiting','parked');
  CREATE INDEX job_principal ON job (user_id, principal) WHERE state IN ('waiting','parked');
  -- Principals whose jobs failed in simulation: none of their jobs is tried before retry_at.
  CREATE TABLE failing_principal (
    user_id TEXT NOT NULL, principal TEXT NOT NULL, failures INTEGER NOT NULL, retry_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, principal)
  ) WITHOUT ROWID;
  `,
  `
  -- The last deadline accepted for the scope (unix seconds). Null if older than this column; prune.ts fills it in.
  ALTER TABLE guard ADD COLUMN max_deadline INTEGER;
  CREATE INDEX guard_deadline ON guard (max_deadline);
  `,
  `
  -- The accounts that this object drives, by the version of the relayer seed; the newest sends. Earlier, account had the
  -- only one. Nonces of all tables are those of an account plus (version - 1) * 2^32; next_nonce too.
  CREATE TABLE relayer_account (version INTEGER PRIMARY KEY, address TEXT NOT NULL, next_nonce INTEGER);
  -- Wei, as a decimal.
  ALTER TABLE account_tx ADD COLUMN value TEXT NOT NULL DEFAULT '0';
  `,
  `
  -- The version of the contracts that the job calls.
  ALTER TABLE job ADD COLUMN contract_set INTEGER NOT NULL DEFAULT 1;
  `,
]

export const relayerSchema: Schema = { migrations: relayerMigrations, lowest: relayerMigrations.length }
