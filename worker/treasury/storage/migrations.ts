import { expand, type Migrations } from '../../durable/migrations.ts'
import type { Schema } from '../../durable/objectSchema.ts'
import { approvalTables } from '../approvals/tables.ts'
import { keptTables, ownerTables } from '../backup/tables.ts'
import { noticeTables } from '../notices/tables.ts'
import { bookingTables } from '../settlement/tables.ts'
import { webhookTables } from '../webhooks/tables.ts'

/** Schema of a user's Treasury, append-only. Amounts: micro-USDC below 2^53; `…_at`: ms; deadlines: unix seconds. */
export const treasuryMigrations: Migrations = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE wallet (
    id TEXT PRIMARY KEY, chain_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('smart','imported')),
    address TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, name TEXT,
    status TEXT NOT NULL CHECK (status IN ('deploying','active','failed')),
    factory TEXT NOT NULL, salt TEXT NOT NULL,
    -- The first session, which the address commits to.
    session_key TEXT NOT NULL, sealed_key TEXT NOT NULL, session_limit INTEGER NOT NULL, valid_until INTEGER NOT NULL,
    deploy_tx TEXT, error TEXT,
    -- The ledger (invariant I1): deposits + returns = available + held + out + withdrawn.
    deposits INTEGER NOT NULL DEFAULT 0, returns INTEGER NOT NULL DEFAULT 0, out INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    -- Every log up to and including this block is in the ledger.
    scanned_block INTEGER NOT NULL,
    paused INTEGER NOT NULL DEFAULT 0, halted TEXT,
    created_at INTEGER NOT NULL
  );

  CREATE TABLE session (
    wallet_id TEXT NOT NULL REFERENCES wallet(id), epoch INTEGER NOT NULL,
    key_address TEXT NOT NULL, sealed_key TEXT NOT NULL,
    spend_limit INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    valid_until INTEGER NOT NULL, next_sequence INTEGER NOT NULL DEFAULT 0, current INTEGER NOT NULL,
    PRIMARY KEY (wallet_id, epoch)
  );

  CREATE TABLE policy_group (
    id TEXT PRIMARY KEY, wallet_id TEXT NOT NULL REFERENCES wallet(id), name TEXT NOT NULL,
    spend_limit INTEGER, spent INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    scopes TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1, paused INTEGER NOT NULL DEFAULT 0,
    payments INTEGER NOT NULL DEFAULT 0, last_activity_at INTEGER, created_at INTEGER NOT NULL, deleted_at INTEGER
  );
  CREATE TABLE whitelist (
    group_id TEXT NOT NULL REFERENCES policy_group(id), contact_id TEXT NOT NULL, name TEXT NOT NULL,
    address TEXT, email TEXT, phone TEXT, stale INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (group_id, contact_id)
  );
  CREATE TABLE agent (
    id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES policy_group(id), name TEXT NOT NULL, memo TEXT,
    client_id TEXT NOT NULL, payments INTEGER NOT NULL DEFAULT 0, spent INTEGER NOT NULL DEFAULT 0,
    last_activity_at INTEGER, paused INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, deleted_at INTEGER
  );
  CREATE TABLE credential (
    hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL REFERENCES agent(id),
    kind TEXT NOT NULL CHECK (kind IN ('secret','api_key')), expires_at INTEGER
  );

  CREATE TABLE payment (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('send','payout')),
    wallet_id TEXT NOT NULL REFERENCES wallet(id), group_id TEXT, agent_id TEXT, policy_version INTEGER,
    to_type TEXT NOT NULL, to_address TEXT, contact_id TEXT, contact_name TEXT,
    recipient_email TEXT, recipient_phone TEXT,
    amount INTEGER NOT NULL CHECK (amount > 0), memo TEXT,
    status TEXT NOT NULL CHECK (status IN ('QUEUED','PROCESSING','PENDING','CONFIRMED','FAILED','CANCELLED','POLICY_REJECTED','VALIDATION_FAILED')),
    error_code TEXT, error_message TEXT, refusal TEXT,
    created_at INTEGER NOT NULL, signed_at INTEGER, broadcast_at INTEGER, confirmed_at INTEGER, tx_hash TEXT,
    give_up_at INTEGER NOT NULL,
    -- The intent. A nonce belongs for life to one recipient and one amount.
    epoch INTEGER, sequence INTEGER, deadline INTEGER, max_deadline INTEGER, sig_version INTEGER NOT NULL DEFAULT 0,
    r TEXT, vs TEXT, first_block INTEGER
  );
  CREATE UNIQUE INDEX payment_nonce ON payment (wallet_id, epoch, sequence) WHERE sequence IS NOT NULL;
  -- Not partial: SQLite does not see that one status is part of a list of them.
  CREATE INDEX payment_status ON payment (status, wallet_id, epoch, sequence);
  CREATE INDEX payment_agent ON payment (agent_id, created_at, id);

  CREATE TABLE payout (
    id TEXT PRIMARY KEY REFERENCES payment(id), wallet_id TEXT NOT NULL, address TEXT NOT NULL UNIQUE,
    claim_key TEXT NOT NULL, reclaim_key TEXT NOT NULL, payer TEXT NOT NULL, amount INTEGER NOT NULL, expiry INTEGER NOT NULL,
    payout_hash TEXT NOT NULL, expires_at INTEGER NOT NULL, sender_name TEXT,
    status TEXT NOT NULL CHECK (status IN ('CREATING','CREATED','CLAIMING','RECLAIMING','WITHDRAWN','RECLAIMED','FAILED')),
    funded INTEGER NOT NULL DEFAULT 0, announced INTEGER NOT NULL DEFAULT 0,
    sealed_token TEXT NOT NULL, token_hash TEXT NOT NULL, code_hmac TEXT, code_version INTEGER NOT NULL DEFAULT 1,
    -- Erased once the message has left and the ten minutes of idempotent replay are over.
    sealed_code TEXT, code_until INTEGER NOT NULL,
    -- Raised when the sender issues a new code, which resets the attempts. The recipient's renewals keep them.
    tries_version INTEGER NOT NULL DEFAULT 1, code_at INTEGER NOT NULL,
    sender_resends INTEGER NOT NULL DEFAULT 0, recipient_resends INTEGER NOT NULL DEFAULT 0,
    -- The claim or reclaim under way.
    action TEXT CHECK (action IN ('claim','reclaim')), action_to TEXT, action_deadline INTEGER, action_r TEXT, action_vs TEXT,
    action_version INTEGER NOT NULL DEFAULT 0, action_block INTEGER, action_delivered_at INTEGER, action_tx TEXT,
    action_by TEXT CHECK (action_by IN ('recipient','sender','expiry')),
    done_tx TEXT, done_at INTEGER, withdrawn_to TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    announce_delivered_at INTEGER
  );
  CREATE INDEX payout_status ON payout (status, wallet_id);

  -- SHA-256 of principal and key. Keys of payments are never deleted.
  CREATE TABLE idempotency (key_hash TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, kind TEXT NOT NULL, ref TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE timer (kind TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;
  -- Refs of what D1, the ClaimDesks and the mailer do not have yet; contents are read from the rows.
  CREATE TABLE outbox (kind TEXT NOT NULL, ref TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
  -- Logs that are in the books, so that reading a range again books nothing twice.
  CREATE TABLE booked_log (wallet_id TEXT NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL, PRIMARY KEY (wallet_id, block, log_index)) WITHOUT ROWID;
  -- Recipients that were looked up and are not the address of a payout.
  CREATE TABLE known_recipient (address TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE refusal_rate (minute INTEGER PRIMARY KEY, written INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL, ref TEXT NOT NULL, data TEXT NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL
  );
  CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
  CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
  `,
  `
  -- Failing entries have their own delays (ms) and do not hold up the others.
  ALTER TABLE outbox ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outbox ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Limits of a group beyond its total. A null limit does not apply.
  ALTER TABLE policy_group ADD COLUMN max_payment INTEGER;
  ALTER TABLE policy_group ADD COLUMN period TEXT CHECK (period IN ('day','week','month'));
  ALTER TABLE policy_group ADD COLUMN period_limit INTEGER;
  -- Reserved since period_start and not released; only kept while there is a period.
  ALTER TABLE policy_group ADD COLUMN period_start INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE policy_group ADD COLUMN period_used INTEGER NOT NULL DEFAULT 0 CHECK (period_used >= 0);
  ALTER TABLE policy_group ADD COLUMN max_unclaimed INTEGER;
  -- Payouts accepted and not ended; part of held.
  ALTER TABLE policy_group ADD COLUMN unclaimed INTEGER NOT NULL DEFAULT 0 CHECK (unclaimed >= 0);
  -- JSON lists.
  ALTER TABLE policy_group ADD COLUMN email_domains TEXT;
  ALTER TABLE policy_group ADD COLUMN phone_codes TEXT;
  ALTER TABLE agent ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0);
  UPDATE agent SET held = coalesce((SELECT sum(amount) FROM payment
    WHERE agent_id = agent.id AND status IN ('QUEUED','PROCESSING','PENDING')), 0);
  UPDATE policy_group SET unclaimed = coalesce((SELECT sum(amount) FROM payment
    WHERE group_id = policy_group.id AND kind = 'payout' AND status IN ('QUEUED','PROCESSING','PENDING')), 0);
  -- What a contact was last changed to (all null if deleted), so that a whitelist made meanwhile is not behind it.
  CREATE TABLE contact_now (contact_id TEXT PRIMARY KEY, address TEXT, email TEXT, phone TEXT) WITHOUT ROWID;
  `,
  `
  -- Imported wallets, and deleted wallets that history still refers to: one address may be on both chains, and may be
  -- added again. SQLite cannot change a CHECK or drop a UNIQUE, so the table is rebuilt; the rows that
  -- refer to it are checked when the transaction ends.
  PRAGMA defer_foreign_keys = ON;
  CREATE TABLE wallet_before AS SELECT * FROM wallet;
  DROP TABLE wallet;
  CREATE TABLE wallet (
    id TEXT PRIMARY KEY, chain_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('smart','imported')),
    address TEXT NOT NULL, owner TEXT NOT NULL, name TEXT,
    status TEXT NOT NULL CHECK (status IN ('deploying','active','failed','deleted')),
    factory TEXT NOT NULL, salt TEXT NOT NULL,
    session_key TEXT NOT NULL, sealed_key TEXT NOT NULL, session_limit INTEGER NOT NULL, valid_until INTEGER NOT NULL,
    deploy_tx TEXT, error TEXT,
    deposits INTEGER NOT NULL DEFAULT 0, returns INTEGER NOT NULL DEFAULT 0, out INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    scanned_block INTEGER NOT NULL,
    paused INTEGER NOT NULL DEFAULT 0, halted TEXT,
    created_at INTEGER NOT NULL
  );
  INSERT INTO wallet (id, chain_id, kind, address, owner, name, status, factory, salt, session_key, sealed_key, session_limit,
      valid_until, deploy_tx, error, deposits, returns, out, withdrawn, held, scanned_block, paused, halted, created_at)
    SELECT id, chain_id, kind, address, owner, name, status, factory, salt, session_key, sealed_key, session_limit,
      valid_until, deploy_tx, error, deposits, returns, out, withdrawn, held, scanned_block, paused, halted, created_at
    FROM wallet_before;
  DROP TABLE wallet_before;
  CREATE UNIQUE INDEX wallet_address ON wallet (chain_id, address) WHERE status <> 'deleted';

  -- For viewing: sealed under the master password, then under the key-encryption key. The copy that signs is the
  -- session's. USDC's domain separator as the contract had it at import, compared to one computed here.
  CREATE TABLE imported_key (
    wallet_id TEXT PRIMARY KEY REFERENCES wallet(id), sealed_view TEXT NOT NULL, domain_separator TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, locked_until INTEGER NOT NULL DEFAULT 0
  );
  -- EIP-3009 nonce of an imported wallet's payment.
  ALTER TABLE payment ADD COLUMN authorization TEXT;
  CREATE UNIQUE INDEX payment_authorization ON payment (authorization) WHERE authorization IS NOT NULL;
  `,
  `
  -- Changes of a wallet itself. Keys stay: the wallet may show one of them at any later time.
  CREATE TABLE wallet_action (
    id TEXT PRIMARY KEY, wallet_id TEXT NOT NULL REFERENCES wallet(id),
    kind TEXT NOT NULL CHECK (kind IN ('rotate','setSession','revokeSession','disableRotation','withdraw')),
    status TEXT NOT NULL CHECK (status IN ('offered','draining','sent','done','failed')),
    key_address TEXT, sealed_key TEXT, spend_limit INTEGER, ttl_hours INTEGER, valid_until INTEGER,
    epoch INTEGER, owner_nonce TEXT, to_address TEXT, amount INTEGER,
    deadline INTEGER, data TEXT, first_block INTEGER, drain_until INTEGER,
    tx_hash TEXT, error TEXT, created_at INTEGER NOT NULL, ended_at INTEGER
  );
  CREATE INDEX wallet_action_wallet ON wallet_action (wallet_id, created_at);
  -- One new session at a time.
  CREATE UNIQUE INDEX wallet_action_session ON wallet_action (wallet_id)
    WHERE kind IN ('rotate','setSession') AND status IN ('draining','sent');
  `,
  `
  -- Tells whether a recipient was paid before. Not case-sensitive: addresses are stored as they were given.
  CREATE INDEX payment_to_address ON payment (to_address COLLATE NOCASE);
  CREATE INDEX payment_recipient_email ON payment (recipient_email) WHERE recipient_email IS NOT NULL;
  CREATE INDEX payment_recipient_phone ON payment (recipient_phone) WHERE recipient_phone IS NOT NULL;
  `,
  `
  -- principal|key as it was sent: a hash of it cost more than it kept.
  ALTER TABLE idempotency RENAME COLUMN key_hash TO key;
  `,
  `
  -- Reclaim all: when the reclaim was requested (ms), until it starts.
  ALTER TABLE payout ADD COLUMN reclaim_asked_at INTEGER;
  CREATE INDEX payout_reclaim_asked ON payout (reclaim_asked_at) WHERE reclaim_asked_at IS NOT NULL;
  `,
  `
  -- The budget level of the last notice, and for which limit; how many reminders the recipient got.
  ALTER TABLE policy_group ADD COLUMN noticed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE policy_group ADD COLUMN noticed_limit INTEGER;
  ALTER TABLE payout ADD COLUMN reminded INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Messages get their own kinds, with the id of their subject; level and number are read from its row.
  UPDATE OR REPLACE outbox SET kind = 'mail.payout_link', ref = substr(ref, 1, instr(ref, ':') - 1) WHERE kind = 'mail' AND ref LIKE '%:link';
  UPDATE OR REPLACE outbox SET kind = 'mail.payout_claimed', ref = substr(ref, 1, instr(ref, ':') - 1) WHERE kind = 'mail' AND ref LIKE '%:withdrawn';
  UPDATE OR REPLACE outbox SET kind = 'mail.payout_returned', ref = substr(ref, 1, instr(ref, ':') - 1) WHERE kind = 'mail' AND ref LIKE '%:reclaimed';
  UPDATE OR REPLACE outbox SET kind = 'mail.payout_reminder', ref = substr(ref, 1, instr(ref, ':') - 1) WHERE kind = 'mail' AND ref LIKE '%:reminder%';
  UPDATE OR REPLACE outbox SET kind = 'mail.budget_reached', ref = substr(ref, 1, instr(ref, ':') - 1) WHERE kind = 'mail' AND ref LIKE '%:budget%';
  UPDATE OR REPLACE outbox SET kind = 'mail.wallet_stopped', ref = substr(ref, 1, instr(ref, ':') - 1) WHERE kind = 'mail' AND ref LIKE '%:halted';
  DELETE FROM outbox WHERE kind = 'watch';
  `,
  `
  -- The block at which the wallet was found deployed: from there on only a reorganisation can make it missing.
  ALTER TABLE wallet ADD COLUMN active_block INTEGER;
  `,
  `
  -- Limits (domain/limits.ts). A principal is an agent's id, 'owner', or 'account' for all of them together; days are
  -- UTC day numbers, kept for two days. rate: token buckets.
  CREATE TABLE rate (
    principal TEXT NOT NULL, name TEXT NOT NULL, tokens REAL NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (principal, name)
  ) WITHOUT ROWID;
  -- Gas units reserved or used; 'exit' is the pool of owner exits. gas_level: today's allowance, and what new accounts
  -- were granted of it.
  CREATE TABLE gas_use (
    day INTEGER NOT NULL, principal TEXT NOT NULL, gas INTEGER NOT NULL, PRIMARY KEY (day, principal)
  ) WITHOUT ROWID;
  CREATE TABLE gas_level (
    one INTEGER PRIMARY KEY CHECK (one = 1), allowance INTEGER NOT NULL, day INTEGER NOT NULL,
    confirmed INTEGER NOT NULL, failed INTEGER NOT NULL, granted INTEGER NOT NULL
  );
  -- Messages to recipients; principal 'recipient' are renewals that recipients asked for.
  CREATE TABLE sent_message (
    day INTEGER NOT NULL, channel TEXT NOT NULL, recipient TEXT NOT NULL, principal TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (day, channel, recipient, principal)
  ) WITHOUT ROWID;
  CREATE TABLE refusal_count (day INTEGER PRIMARY KEY, written INTEGER NOT NULL);

  -- Gas units paid for each step, null until it is reported: until then its estimate is reserved.
  ALTER TABLE payment ADD COLUMN gas_send INTEGER;
  ALTER TABLE payment ADD COLUMN gas_announce INTEGER;
  ALTER TABLE payment ADD COLUMN gas_end INTEGER;
  -- Why the contract refuses the newest signature, as the Relayer reported it. The payment is not signed again.
  ALTER TABLE payment ADD COLUMN revert TEXT;
  -- Recipients are known by chain from now on, as "chain id:address"; the others are looked up once more.
  DELETE FROM known_recipient;
  CREATE INDEX payment_queued ON payment (wallet_id, agent_id, created_at, id) WHERE status = 'QUEUED';
  `,
  `
  -- When an operator took the payout's link down (ms); null if it is up.
  ALTER TABLE payout ADD COLUMN taken_down_at INTEGER;
  `,
  `
  -- Figures of the last days read only what ended in them, and a budget's history only the events that set its limit.
  CREATE INDEX payment_sent ON payment (confirmed_at) WHERE status = 'CONFIRMED' AND kind = 'send';
  CREATE INDEX payout_done ON payout (done_at) WHERE done_at IS NOT NULL;
  CREATE INDEX audit_budget ON audit (ref, at, seq) WHERE event IN ('group.created', 'group.changed', 'group.topped_up');
  `,
  bookingTables,
  approvalTables,
  webhookTables,
  'ALTER TABLE payout ADD COLUMN secret_version INTEGER NOT NULL DEFAULT 1', // of the payout secret (payouts/keys.ts)
  `
  -- The version of the contracts (contracts.ts): the first for everything from before there were several.
  ALTER TABLE wallet ADD COLUMN contract_set INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE payout ADD COLUMN contract_set INTEGER NOT NULL DEFAULT 1;
  `,
  ownerTables,
  noticeTables,
  expand(keptTables),
]

export const treasurySchema: Schema = { migrations: treasuryMigrations, lowest: treasuryMigrations.length }
