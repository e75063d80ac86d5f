import type { Address, ChainId, Hex } from '../chain/types.ts'
import { timer } from '../durable/alarms.ts'
import { integer, maybeInteger, maybeText, oneOf, type RowOf, rowid, table, text } from '../durable/table.ts'
import type { RelayJob } from './api.ts'

/** The tables of a Relayer. `…_at` is in ms, `deadline` in unix seconds, fees in wei. */

/** The chain and shard of this object. */
export const account = table('account', {
  one: integer('PRIMARY KEY CHECK (one = 1)'),
  chain_id: integer<ChainId>(),
  shard: integer(),
})

/**
 * The accounts that this object drives, by the version of the relayer seed; the newest sends. Nonces of all tables are those
 * of an account plus (version - 1) * 2^32.
 */
export const relayerAccount = table('relayer_account', {
  version: integer('PRIMARY KEY'),
  address: text<Address>(),
  /** Null until the chain was asked. */
  next_nonce: maybeInteger(),
})
export type RelayerAccountRow = RowOf<typeof relayerAccount>

export const job = table(
  'job',
  {
    seq: rowid('AUTOINCREMENT'),
    id: text('UNIQUE'),
    /** JSON of JobRef (api.ts). */
    ref: maybeText(),
    user_id: text(),
    /** Who caused the job within the account. */
    principal: text("DEFAULT ''"),
    is_new_account: integer('DEFAULT 0'),
    kind: text<RelayJob['kind']>(),
    lane: oneOf(['send', 'call']),
    /** The version of the contracts that the job calls. */
    contract_set: integer('DEFAULT 1'),
    target: text<Address>(),
    /** Empty once the job's transaction is final. */
    data: text<Hex>(),
    /** JSON of RelayJob's. */
    packed: maybeText(),
    scope: maybeText(),
    deadline: integer(),
    /** in_flight: in a signed transaction whose outcome is open. */
    state: oneOf(['waiting', 'parked', 'in_flight', 'mined', 'failed', 'dropped'], "DEFAULT 'waiting'"),
    isolated: integer('DEFAULT 0'),
    queued_at: integer(),
    due_at: integer(),
    simulation_failures: integer('DEFAULT 0'),
    chain_failures: integer('DEFAULT 0'),
    reverts: integer('DEFAULT 0'),
    gas_used: integer('DEFAULT 0'),
    nonce: maybeInteger(),
    tx_hash: maybeText<Hex>(),
    mined_block: maybeInteger(),
    reason: maybeText(),
    finished_at: maybeInteger(),
    /** Counts the changes to report to the user's Treasury. */
    report_version: integer('DEFAULT 0'),
    /** Null once the last change was reported. */
    report_at: maybeInteger(),
    report_attempts: integer('DEFAULT 0'),
  },
  {
    indexes: `
      CREATE INDEX job_waiting ON job (due_at) WHERE state IN ('waiting','parked');
      CREATE INDEX job_in_flight ON job (scope) WHERE state = 'in_flight';
      CREATE INDEX job_scope ON job (scope) WHERE scope IS NOT NULL;
      CREATE INDEX job_report ON job (report_at) WHERE report_at IS NOT NULL;
      CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;
      CREATE INDEX job_expiring ON job (deadline) WHERE state IN ('waiting','parked');
      CREATE INDEX job_principal ON job (user_id, principal) WHERE state IN ('waiting','parked');`,
  },
)
export type JobRow = RowOf<typeof job>

/** One content per scope. */
export const guard = table(
  'guard',
  {
    scope: text('PRIMARY KEY'),
    content: text(),
    /** The last one accepted for it. */
    max_deadline: integer(),
  },
  { isWithoutRowid: true, indexes: 'CREATE INDEX guard_deadline ON guard (max_deadline);' },
)

/** Failures on chain, for the hourly quota. */
export const failure = table(
  'failure',
  { user_id: text(), at: integer() },
  { indexes: 'CREATE INDEX failure_user ON failure (user_id, at);' },
)

/** Principals whose jobs failed in simulation: none of their jobs is tried before `retry_at`. */
export const failingPrincipal = table(
  'failing_principal',
  { user_id: text(), principal: text(), failures: integer(), retry_at: integer() },
  { constraints: 'PRIMARY KEY (user_id, principal)', isWithoutRowid: true },
)
export type FailingPrincipalRow = RowOf<typeof failingPrincipal>

/** Users whose jobs are refused while their Treasury is restored from a backup. */
export const frozen = table('frozen', { user_id: text('PRIMARY KEY') }, { isWithoutRowid: true })

/** When a job of a new account was last chosen. */
export const newAccountTurn = table(
  'new_account_turn',
  { user_id: text('PRIMARY KEY'), last_turn: integer() },
  { isWithoutRowid: true },
)

/** Gas granted to new accounts, by UTC day number: to owner exits, or to everything else. */
export const newAccountGas = table(
  'new_account_gas',
  { day: integer(), is_exit: integer(), granted: integer() },
  { constraints: 'PRIMARY KEY (day, is_exit)', isWithoutRowid: true },
)

/** One row per nonce that was used. Its content never changes. */
export const accountTx = table(
  'account_tx',
  {
    nonce: integer('PRIMARY KEY'),
    /** fill: closes a nonce gap of which nothing is known. */
    kind: oneOf(['direct', 'sends', 'calls', 'fill']),
    target: text<Address>(),
    data: text<Hex>(),
    /** Wei, as a decimal; 0 except for a plain transfer to the next account. */
    value: text("DEFAULT '0'"),
    gas: integer(),
    /** Null until a receipt was seen. */
    gas_used: maybeInteger(),
    /** lost: another transaction consumed the nonce. */
    state: oneOf(['open', 'mined', 'lost'], "DEFAULT 'open'"),
    /** 1 once a node has accepted the newest attempt. */
    accepted: integer('DEFAULT 0'),
    sent_block: maybeInteger(),
    missing_at: maybeInteger(),
    created_at: integer(),
    closed_at: maybeInteger(),
  },
  {
    indexes: `
      CREATE INDEX account_tx_open ON account_tx (nonce) WHERE state = 'open';
      CREATE INDEX account_tx_closed ON account_tx (closed_at) WHERE closed_at IS NOT NULL;`,
  },
)
export type AccountTransaction = RowOf<typeof accountTx>

/** The jobs in the transaction of a nonce, by their place in it. */
const batchJob = table(
  'batch_job',
  { nonce: integer(), position: integer(), job_id: text() },
  { constraints: 'PRIMARY KEY (nonce, position)', isWithoutRowid: true },
)

/**
 * Every transaction ever signed for a nonce: the original, its replacements and its cancellation, which is an empty transfer
 * to the account itself.
 */
export const attempt = table(
  'attempt',
  {
    seq: rowid('AUTOINCREMENT'),
    hash: text<Hex, string>('UNIQUE'),
    nonce: integer(),
    raw: text<Hex>(),
    is_cancellation: integer(),
    max_fee: text(),
    max_priority_fee: text(),
    created_at: integer(),
  },
  { indexes: 'CREATE INDEX attempt_nonce ON attempt (nonce);' },
)
export type Attempt = RowOf<typeof attempt>

export const relayerTables = [
  ...[account, relayerAccount, job, guard, failure, failingPrincipal, frozen, newAccountTurn, newAccountGas],
  ...[accountTx, batchJob, attempt, timer],
]
