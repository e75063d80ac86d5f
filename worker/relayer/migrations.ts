import { type Migrations, newSchema } from '../durable/migrations.ts'
import type { Schema } from '../durable/objectSchema.ts'

/**
 * Schema of a Relayer. The first entry is changed in place until the first deployment; from then on, append. `…_at` is in
 * ms, `deadline` in unix seconds, fees in wei.
 */
export const relayerMigrations: Migrations = [
  newSchema(`
  -- The chain and shard of this object.
  CREATE TABLE account (
    one INTEGER PRIMARY KEY CHECK (one = 1), chain_id INTEGER NOT NULL, shard INTEGER NOT NULL
  );
  -- The accounts that this object drives, by the version of the relayer seed; the newest sends. Nonces of all tables are
  -- those of an account plus (version - 1) * 2^32; next_nonce too. It is null until the chain was asked.
  CREATE TABLE relayer_account (version INTEGER PRIMARY KEY, address TEXT NOT NULL, next_nonce INTEGER);

  CREATE TABLE job (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    -- ref: JSON of JobRef (api.ts). principal: who caused the job within the account.
    id TEXT NOT NULL UNIQUE, ref TEXT, user_id TEXT NOT NULL, principal TEXT NOT NULL DEFAULT '',
    is_new_account INTEGER NOT NULL DEFAULT 0, kind TEXT NOT NULL,
    lane TEXT NOT NULL CHECK (lane IN ('send','call')),
    -- The version of the contracts that the job calls.
    contract_set INTEGER NOT NULL DEFAULT 1,
    target TEXT NOT NULL, data TEXT NOT NULL, packed TEXT, scope TEXT, deadline INTEGER NOT NULL,
    -- in_flight: in a signed transaction whose outcome is open.
    state TEXT NOT NULL DEFAULT 'waiting'
      CHECK (state IN ('waiting','parked','in_flight','mined','failed','dropped')),
    isolated INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    simulation_failures INTEGER NOT NULL DEFAULT 0, chain_failures INTEGER NOT NULL DEFAULT 0,
    reverts INTEGER NOT NULL DEFAULT 0, gas_used INTEGER NOT NULL DEFAULT 0,
    nonce INTEGER, tx_hash TEXT, mined_block INTEGER, reason TEXT, finished_at INTEGER,
    -- Counts the changes to report to the user's Treasury; report_at is null once the last was reported.
    report_version INTEGER NOT NULL DEFAULT 0, report_at INTEGER, report_attempts INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX job_waiting ON job (due_at) WHERE state IN ('waiting','parked');
  CREATE INDEX job_in_flight ON job (scope) WHERE state = 'in_flight';
  CREATE INDEX job_scope ON job (scope) WHERE scope IS NOT NULL;
  CREATE INDEX job_report ON job (report_at) WHERE report_at IS NOT NULL;
  CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;
  CREATE INDEX job_expiring ON job (deadline) WHERE state IN ('waiting','parked');
  CREATE INDEX job_principal ON job (user_id, principal) WHERE state IN ('waiting','parked');

  -- One content per scope. max_deadline: the last one accepted for it.
  CREATE TABLE guard (scope TEXT PRIMARY KEY, content TEXT NOT NULL, max_deadline INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX guard_deadline ON guard (max_deadline);
  -- Failures on chain, for the hourly quota.
  CREATE TABLE failure (user_id TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX failure_user ON failure (user_id, at);
  -- Principals whose jobs failed in simulation: none of their jobs is tried before retry_at.
  CREATE TABLE failing_principal (
    user_id TEXT NOT NULL, principal TEXT NOT NULL, failures INTEGER NOT NULL, retry_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, principal)
  ) WITHOUT ROWID;
  CREATE TABLE frozen (user_id TEXT PRIMARY KEY) WITHOUT ROWID;
  -- When a job of a new account was last chosen.
  CREATE TABLE new_account_turn (user_id TEXT PRIMARY KEY, last_turn INTEGER NOT NULL) WITHOUT ROWID;
  -- Gas granted to new accounts, by UTC day number; is_exit: to owner exits, or to everything else.
  CREATE TABLE new_account_gas (
    day INTEGER NOT NULL, is_exit INTEGER NOT NULL, granted INTEGER NOT NULL, PRIMARY KEY (day, is_exit)
  ) WITHOUT ROWID;

  -- One row per nonce that was used. Its content never changes.
  CREATE TABLE account_tx (
    nonce INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('direct','sends','calls','fill')),
    -- value: wei, as a decimal. gas_used: of the mined transaction; null before.
    target TEXT NOT NULL, data TEXT NOT NULL, value TEXT NOT NULL DEFAULT '0', gas INTEGER NOT NULL, gas_used INTEGER,
    -- lost: another transaction consumed the nonce.
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open','mined','lost')),
    -- A node has accepted the newest attempt.
    accepted INTEGER NOT NULL DEFAULT 0, sent_block INTEGER, missing_at INTEGER,
    created_at INTEGER NOT NULL, closed_at INTEGER
  );
  CREATE INDEX account_tx_open ON account_tx (nonce) WHERE state = 'open';
  CREATE INDEX account_tx_closed ON account_tx (closed_at) WHERE closed_at IS NOT NULL;
  -- The jobs in the transaction of a nonce, by their place in it.
  CREATE TABLE batch_job (
    nonce INTEGER NOT NULL, position INTEGER NOT NULL, job_id TEXT NOT NULL, PRIMARY KEY (nonce, position)
  ) WITHOUT ROWID;
  -- Every transaction ever signed for a nonce: the original, its replacements and its cancellation, which is an empty
  -- transfer to the account itself.
  CREATE TABLE attempt (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, nonce INTEGER NOT NULL, raw TEXT NOT NULL,
    is_cancellation INTEGER NOT NULL, max_fee TEXT NOT NULL, max_priority_fee TEXT NOT NULL, created_at INTEGER NOT NULL
  );
  CREATE INDEX attempt_nonce ON attempt (nonce);

  -- For durable/alarms.ts.
  CREATE TABLE timer (kind TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;
  `),
]

export const relayerSchema: Schema = { migrations: relayerMigrations, lowest: relayerMigrations.length }
