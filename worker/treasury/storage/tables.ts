import { limitTables } from './limitTables.ts'
import { paidRecipientTable } from './paidRecipients.ts'
import { purchaseTables } from './purchaseTables.ts'
import { spentSumTables } from './spentSums.ts'
import { isOpenAction, statusIn } from './statuses.ts'

/**
 * The tables of a user's Treasury. Amounts are micro-USDC below 2^53; `…_at` is in ms, deadlines and expiries in unix
 * seconds, days are UTC day numbers. rows.ts has the type of each row; a test compares the two.
 */
export const tables = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- Wallets

  CREATE TABLE wallet (
    id TEXT PRIMARY KEY, chain_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('smart','imported')),
    address TEXT NOT NULL, owner TEXT NOT NULL, name TEXT,
    status TEXT NOT NULL CHECK (status IN ('deploying','active','failed','deleted')),
    factory TEXT NOT NULL, salt TEXT NOT NULL,
    -- The version of the contracts (contracts.ts).
    contract_set INTEGER NOT NULL DEFAULT 1,
    -- The first session, which the address commits to.
    session_key TEXT NOT NULL, sealed_key TEXT NOT NULL, session_limit INTEGER NOT NULL, valid_until INTEGER NOT NULL,
    -- Whole USDC of session_limit, for purchases.
    purchase_allowance INTEGER NOT NULL DEFAULT 0,
    deploy_tx TEXT, error TEXT,
    -- The ledger (invariant I1): deposits + returns = available + held + out + withdrawn.
    deposits INTEGER NOT NULL DEFAULT 0, returns INTEGER NOT NULL DEFAULT 0, out INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    -- Every log up to and including this block is in the ledger.
    scanned_block INTEGER NOT NULL,
    -- The block whose hash shows whether the chain is still the one that was booked. Null until the next reading.
    anchor_block INTEGER, anchor_hash TEXT,
    -- Everything up to here is final.
    final_block INTEGER NOT NULL DEFAULT 0,
    -- The block at which the wallet was found deployed: from there on only a reorganization can make it missing.
    active_block INTEGER,
    -- Where the ledger begins, and the balance there. History keeps both, so that a restored object can add the wallet again.
    start_block INTEGER NOT NULL DEFAULT 0, start_balance INTEGER NOT NULL DEFAULT 0,
    paused INTEGER NOT NULL DEFAULT 0,
    -- Why nothing is signed for it (domain/walletHalt.ts), with details for operators.
    halt_kind TEXT CHECK (halt_kind IN ('code','books','foreign_transfer','ended_payment')), halt_detail TEXT,
    -- Since when the books do not explain the balance, as last read and at a final block; when everything that is not final
    -- was read again for it.
    mismatch_since INTEGER, final_mismatch_since INTEGER, reread_at INTEGER,
    -- The booked block that the node contradicts, and since when.
    doubted_block INTEGER, doubted_since INTEGER,
    created_at INTEGER NOT NULL,
    -- The key of its row in idempotency.
    request_key TEXT
  );
  -- One address may be on both chains, and may be added again after it was deleted.
  CREATE UNIQUE INDEX wallet_address ON wallet (chain_id, address) WHERE status <> 'deleted';

  -- Readings of wallets while they are idle (wallets/idleReads.ts). active_at: when the wallet was last used or looked at;
  -- state: what it was when logs were last read, at logs_read_at; null if they must be read again.
  CREATE TABLE idle_wallet (
    wallet_id TEXT PRIMARY KEY, active_at INTEGER NOT NULL, next_read_at INTEGER NOT NULL,
    state TEXT, logs_read_at INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE session (
    wallet_id TEXT NOT NULL REFERENCES wallet(id), epoch INTEGER NOT NULL,
    key_address TEXT NOT NULL, sealed_key TEXT NOT NULL,
    -- The limit has two parts: spend_limit is what sends may use (used and held are of it), purchase_allowance what purchases
    -- may use, in whole USDC.
    purchase_allowance INTEGER NOT NULL DEFAULT 0,
    spend_limit INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    valid_until INTEGER NOT NULL, next_sequence INTEGER NOT NULL DEFAULT 0, current INTEGER NOT NULL,
    -- The block at which the session was adopted; null if final. undone: a reorganization removed it; its nonces stay used.
    adopted_block INTEGER, undone INTEGER NOT NULL DEFAULT 0,
    -- When it was adopted, and how many days before its end the owner was last warned.
    adopted_at INTEGER NOT NULL DEFAULT 0, warned_days INTEGER,
    -- Why its purchase allowance could not be renewed, as the owner was told. Null: the owner was not told.
    refill_refused TEXT,
    PRIMARY KEY (wallet_id, epoch)
  );

  -- For viewing: sealed under the master password, then under the key-encryption key. The copy that signs is the
  -- session's. USDC's domain separator as the contract had it at import, compared to one computed here.
  CREATE TABLE imported_key (
    wallet_id TEXT PRIMARY KEY REFERENCES wallet(id), sealed_view TEXT NOT NULL, domain_separator TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, locked_until INTEGER NOT NULL DEFAULT 0
  );

  -- Changes of a wallet itself. Keys stay: the wallet may show one of them at any later time.
  CREATE TABLE wallet_action (
    id TEXT PRIMARY KEY, wallet_id TEXT NOT NULL REFERENCES wallet(id),
    kind TEXT NOT NULL CHECK (kind IN ('rotate','setSession','revokeSession','disableRotation','withdraw')),
    status TEXT NOT NULL CHECK (status IN ('offered','draining','sent','done','failed')),
    key_address TEXT, sealed_key TEXT, spend_limit INTEGER, ttl_hours INTEGER, valid_until INTEGER,
    -- Whole USDC of spend_limit, for purchases. A rotation without spend_limit and ttl_hours renews this allowance, and changes
    -- nothing else (purchases/refill.ts).
    purchase_allowance INTEGER,
    epoch INTEGER, owner_nonce TEXT, to_address TEXT, amount INTEGER,
    deadline INTEGER, data TEXT, first_block INTEGER, drain_until INTEGER,
    tx_hash TEXT, error TEXT, created_at INTEGER NOT NULL, ended_at INTEGER,
    -- The block at which the chain showed the action as done.
    done_block INTEGER
  );
  CREATE INDEX wallet_action_wallet ON wallet_action (wallet_id, created_at);
  -- A wallet has thousands of actions that have ended, because its purchase allowance is renewed up to 12 times a day.
  CREATE INDEX wallet_action_open ON wallet_action (wallet_id, created_at) WHERE ${isOpenAction};
  CREATE INDEX wallet_action_ended ON wallet_action (wallet_id, ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX wallet_action_allowance ON wallet_action (wallet_id) WHERE purchase_allowance > 0;
  -- One new session at a time.
  CREATE UNIQUE INDEX wallet_action_session ON wallet_action (wallet_id)
    WHERE kind IN ('rotate','setSession') AND ${isOpenAction};

  -- Policies

  CREATE TABLE policy_group (
    id TEXT PRIMARY KEY, wallet_id TEXT NOT NULL REFERENCES wallet(id), name TEXT NOT NULL,
    spend_limit INTEGER, spent INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    scopes TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1, paused INTEGER NOT NULL DEFAULT 0,
    payments INTEGER NOT NULL DEFAULT 0, last_activity_at INTEGER, created_at INTEGER NOT NULL, deleted_at INTEGER,
    -- JSON: the rules that are on (domain/rules/), and what they have counted over time (countedWindows.ts). subjects: the
    -- number of recipients in recipient_window.
    rules TEXT NOT NULL DEFAULT '{}', windows TEXT NOT NULL DEFAULT '{}', subjects INTEGER NOT NULL DEFAULT 0,
    -- Payouts accepted and not ended; part of held.
    unclaimed INTEGER NOT NULL DEFAULT 0 CHECK (unclaimed >= 0),
    -- The budget level of the last notice, and for which limit.
    noticed INTEGER NOT NULL DEFAULT 0, noticed_limit INTEGER
  );
  -- What rules have counted of one recipient. A row whose ends_at has passed counts nothing.
  CREATE TABLE recipient_window (
    group_id TEXT NOT NULL REFERENCES policy_group(id), subject TEXT NOT NULL, windows TEXT NOT NULL,
    ends_at INTEGER NOT NULL, PRIMARY KEY (group_id, subject)
  ) WITHOUT ROWID;
  CREATE INDEX recipient_window_ended ON recipient_window (group_id, ends_at);
  CREATE TABLE whitelist (
    group_id TEXT NOT NULL REFERENCES policy_group(id), contact_id TEXT NOT NULL, name TEXT NOT NULL,
    address TEXT, email TEXT, phone TEXT, stale INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (group_id, contact_id)
  );
  -- What a contact was last changed to (all null if deleted), so that a whitelist made meanwhile is not behind it.
  CREATE TABLE contact_now (contact_id TEXT PRIMARY KEY, address TEXT, email TEXT, phone TEXT) WITHOUT ROWID;
  CREATE TABLE agent (
    id TEXT PRIMARY KEY, group_id TEXT NOT NULL REFERENCES policy_group(id), name TEXT NOT NULL, memo TEXT,
    client_id TEXT NOT NULL, payments INTEGER NOT NULL DEFAULT 0, spent INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    last_activity_at INTEGER, paused INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, deleted_at INTEGER
  );
  CREATE TABLE credential (
    hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL REFERENCES agent(id),
    kind TEXT NOT NULL CHECK (kind IN ('secret','api_key','connection')), expires_at INTEGER, created_at INTEGER NOT NULL
  );

  -- Apps that the owner allowed to act as an agent (treasury/connections/). allowed: the app has not exchanged its code yet,
  -- which it may until expires_at. request_id: the consent's. redirect_key: domain/redirectUri.ts, '' for a device. app: JSON of
  -- what views show. consent: JSON of what was allowed. credential_hash: of the row in credential for which its access tokens
  -- are issued. Ended ones are kept so that the app is offered its agent again.
  CREATE TABLE connection (
    id TEXT PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL CHECK (status IN ('allowed','active','ended')),
    client_id TEXT NOT NULL, redirect_key TEXT NOT NULL, app TEXT NOT NULL, consent TEXT NOT NULL,
    code_hash TEXT, expires_at INTEGER NOT NULL, agent_id TEXT, credential_hash TEXT UNIQUE,
    created_at INTEGER NOT NULL, used_at INTEGER, ended_at INTEGER
  );
  CREATE INDEX connection_status ON connection (status, created_at, id);
  CREATE INDEX connection_client ON connection (client_id, redirect_key, created_at);
  CREATE INDEX connection_agent ON connection (agent_id) WHERE status = 'active';
  -- Their refresh tokens: the newest, and the one that was exchanged for it, which may be used once more for a lost reply.
  -- Others have no row, and whoever presents one ends the connection.
  CREATE TABLE refresh_token (
    hash TEXT PRIMARY KEY, connection_id TEXT NOT NULL REFERENCES connection(id), created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, replaced_at INTEGER, successors INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE INDEX refresh_token_connection ON refresh_token (connection_id);

  -- Access tokens that were revoked before they expired.
  CREATE TABLE revoked_token (id TEXT PRIMARY KEY, ends_at INTEGER NOT NULL) WITHOUT ROWID;

  -- Payments and payouts

  CREATE TABLE payment (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('send','payout','x402')),
    wallet_id TEXT NOT NULL REFERENCES wallet(id), group_id TEXT, agent_id TEXT, policy_version INTEGER,
    to_type TEXT NOT NULL, to_address TEXT, contact_id TEXT, contact_name TEXT,
    recipient_email TEXT, recipient_phone TEXT,
    -- Of a purchase: method, origin and path of what is bought; and the host, which with to_address identifies the seller.
    resource TEXT, seller TEXT,
    amount INTEGER NOT NULL CHECK (amount > 0),
    -- The notes of domain/paymentNotes.ts.
    memo TEXT, reference TEXT,
    expires_in_days INTEGER, sender_name TEXT,
    status TEXT NOT NULL CHECK (status IN ('PENDING_APPROVAL','QUEUED','PROCESSING','PENDING','CONFIRMED','FAILED','CANCELLED','POLICY_REJECTED','VALIDATION_FAILED')),
    error_code TEXT, error_message TEXT, refusal TEXT,
    -- created_at: requested; accepted_at: its amount was reserved. Sums, periods and lists of accepted payments use the latter.
    created_at INTEGER NOT NULL, accepted_at INTEGER, signed_at INTEGER, broadcast_at INTEGER, confirmed_at INTEGER,
    -- When the budget got its amount back.
    released_at INTEGER,
    tx_hash TEXT, give_up_at INTEGER NOT NULL,
    -- The intent. A nonce is permanently bound to one recipient and amount.
    epoch INTEGER, sequence INTEGER, deadline INTEGER, max_deadline INTEGER, sig_version INTEGER NOT NULL DEFAULT 0,
    r TEXT, vs TEXT, first_block INTEGER,
    -- EIP-3009 nonce of an imported wallet's payment, and of a purchase until it is proven dead: then its number may be used
    -- again. The payment of a smart wallet's purchase has no epoch and no sequence of its own, because they are in the nonce.
    authorization TEXT,
    -- Gas units paid for each step, null until it is reported: until then its estimate is reserved.
    gas_send INTEGER, gas_announce INTEGER, gas_end INTEGER,
    -- Why the contract refuses the newest signature, as the Relayer reported it. The payment is not signed again.
    revert TEXT,
    -- The approval that it had, and the grant that it used.
    approval_id TEXT, grant_id TEXT,
    -- The key of its row in idempotency.
    request_key TEXT,
    -- Only an accepted payment holds, or has held, anything.
    CHECK (accepted_at IS NOT NULL OR status IN ('PENDING_APPROVAL','POLICY_REJECTED','VALIDATION_FAILED','CANCELLED'))
  );
  CREATE UNIQUE INDEX payment_nonce ON payment (wallet_id, epoch, sequence) WHERE sequence IS NOT NULL;
  CREATE UNIQUE INDEX payment_authorization ON payment (wallet_id, authorization) WHERE authorization IS NOT NULL;
  -- Not partial: SQLite does not see that one status is part of a list of them.
  CREATE INDEX payment_status ON payment (status, wallet_id, epoch, sequence);
  -- The order of lists (storage/statuses.ts).
  CREATE INDEX payment_agent ON payment (agent_id, coalesce(accepted_at, created_at), id);
  CREATE INDEX payment_reference ON payment (reference, agent_id, coalesce(accepted_at, created_at), id) WHERE reference IS NOT NULL;
  CREATE INDEX payment_queued ON payment (wallet_id, agent_id, accepted_at, id) WHERE status = 'QUEUED' AND kind <> 'x402';
  CREATE INDEX payment_purchase ON payment (wallet_id) WHERE kind = 'x402';
  CREATE INDEX payment_open_purchase ON payment (agent_id, seller, to_address, status, kind) WHERE kind = 'x402' AND status IN ${statusIn.unsettled};
  -- Repeated payments. Without those that were refused or ended: there may be thousands. Not case-sensitive: addresses are
  -- stored as they were given.
  CREATE INDEX payment_to_address ON payment (to_address COLLATE NOCASE, amount, accepted_at)
    WHERE kind = 'send' AND status IN ${statusIn.alive};
  CREATE INDEX payment_seller ON payment (seller, to_address COLLATE NOCASE, amount, accepted_at)
    WHERE kind = 'x402' AND status IN ${statusIn.alive};
  CREATE INDEX payment_recipient_email ON payment (recipient_email, amount, accepted_at)
    WHERE recipient_email IS NOT NULL AND status IN ${statusIn.alive};
  CREATE INDEX payment_recipient_phone ON payment (recipient_phone, amount, accepted_at)
    WHERE recipient_phone IS NOT NULL AND status IN ${statusIn.alive};
  -- The refusals of an agent, and those that are deleted after 30 days.
  CREATE INDEX payment_refused ON payment (agent_id, created_at, id) WHERE refusal IS NOT NULL;
  CREATE INDEX payment_refused_at ON payment (created_at) WHERE refusal IS NOT NULL;

${purchaseTables}
  CREATE TABLE payout (
    id TEXT PRIMARY KEY REFERENCES payment(id), wallet_id TEXT NOT NULL, address TEXT NOT NULL COLLATE NOCASE UNIQUE,
    claim_key TEXT NOT NULL, reclaim_key TEXT NOT NULL, payer TEXT NOT NULL, amount INTEGER NOT NULL, expiry INTEGER NOT NULL,
    payout_hash TEXT NOT NULL, expires_at INTEGER NOT NULL, sender_name TEXT,
    -- The versions of the payout secret (payouts/keys.ts) and of the contracts (contracts.ts).
    secret_version INTEGER NOT NULL, contract_set INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('CREATING','CREATED','CLAIMING','RECLAIMING','WITHDRAWN','RECLAIMED','FAILED')),
    funded INTEGER NOT NULL DEFAULT 0, announced INTEGER NOT NULL DEFAULT 0, announce_delivered_at INTEGER,
    sealed_token TEXT NOT NULL, token_hash TEXT NOT NULL, code_hmac TEXT, code_version INTEGER NOT NULL DEFAULT 1,
    -- Erased once the message has left and the ten minutes of idempotent replay are over.
    sealed_code TEXT, code_until INTEGER NOT NULL,
    -- Raised when the sender issues a new code, which resets the attempts. The recipient's renewals keep them.
    tries_version INTEGER NOT NULL DEFAULT 1, code_at INTEGER NOT NULL,
    sender_resends INTEGER NOT NULL DEFAULT 0, recipient_resends INTEGER NOT NULL DEFAULT 0,
    -- The claim or reclaim in progress.
    action TEXT CHECK (action IN ('claim','reclaim')), action_to TEXT, action_deadline INTEGER, action_r TEXT, action_vs TEXT,
    action_version INTEGER NOT NULL DEFAULT 0, action_block INTEGER, action_delivered_at INTEGER, action_tx TEXT,
    action_by TEXT CHECK (action_by IN ('recipient','sender','expiry')),
    done_tx TEXT, done_at INTEGER, withdrawn_to TEXT,
    -- The block of the reclaim: once it is final, the budget gets the amount back. Null if it has, or without a reclaim.
    returned_block INTEGER,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    -- Reclaim all: when the reclaim was requested, until it starts.
    reclaim_asked_at INTEGER,
    -- How many of the recipient's reminders were sent or left out.
    reminded INTEGER NOT NULL DEFAULT 0,
    -- When an operator took the payout's link down; null if it is up.
    taken_down_at INTEGER,
    -- When the recipient asked for a receipt; null if nobody has.
    receipt_at INTEGER
  );
  CREATE INDEX payout_status ON payout (status, wallet_id, expires_at);
  CREATE INDEX payout_expiry ON payout (status, expires_at);
  CREATE INDEX payout_reminder ON payout (reminded, expires_at) WHERE status = 'CREATED' AND taken_down_at IS NULL;
  CREATE INDEX payout_code ON payout (code_until) WHERE sealed_code IS NOT NULL;
  CREATE INDEX payout_unannounced ON payout (payout_hash) WHERE announced = 0;
  CREATE INDEX payout_reclaim_asked ON payout (reclaim_asked_at) WHERE reclaim_asked_at IS NOT NULL;
  CREATE INDEX payout_returned ON payout (wallet_id, returned_block) WHERE returned_block IS NOT NULL;
  -- The salt of the payouts' keys, sealed for History.
  CREATE TABLE kept_salt (one INTEGER PRIMARY KEY CHECK (one = 1), sealed_salt TEXT NOT NULL);

  -- Recipients that were looked up and paid, as "chain id:address".
  CREATE TABLE known_recipient (address TEXT PRIMARY KEY) WITHOUT ROWID;
  -- principal|key as sent. Keys of payments are never deleted.
  CREATE TABLE idempotency (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, kind TEXT NOT NULL, ref TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID;

${paidRecipientTable}
${spentSumTables}
  -- Approvals

  -- Requests to the owner: a payment that waits, or an amount of budget. reason: the agent's. rules: JSON, why approval is
  -- needed. same_request: equal for equal requests (approvals/approvalRules.ts). email_batch: number of the message that notifies the
  -- owner.
  CREATE TABLE approval (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('payment','budget')),
    status TEXT NOT NULL CHECK (status IN ('PENDING','APPROVED','DENIED','EXPIRED','CANCELLED')),
    agent_id TEXT NOT NULL, group_id TEXT NOT NULL, credential_hash TEXT NOT NULL,
    payment_id TEXT UNIQUE REFERENCES payment(id), amount INTEGER NOT NULL, reason TEXT,
    rules TEXT NOT NULL, same_request TEXT NOT NULL,
    asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, ended_at INTEGER,
    decided_by TEXT, decided_name TEXT, cancelled TEXT, grant_id TEXT,
    email_batch INTEGER, email_state TEXT NOT NULL DEFAULT 'waiting', email_at INTEGER,
    push_state TEXT NOT NULL DEFAULT 'not_set_up', push_at INTEGER,
    CHECK ((status = 'PENDING') = (ended_at IS NULL)), CHECK ((kind = 'payment') = (payment_id IS NOT NULL))
  );
  CREATE INDEX approval_pending ON approval (expires_at, agent_id) WHERE status = 'PENDING';
  CREATE INDEX approval_asked ON approval (asked_at, id);
  CREATE INDEX approval_agent ON approval (agent_id, asked_at, id);
  CREATE INDEX approval_same_request ON approval (same_request, asked_at);
  CREATE INDEX approval_unapproved ON approval (ended_at) WHERE status IN ('DENIED','EXPIRED','CANCELLED');
  CREATE INDEX approval_batch ON approval (email_batch) WHERE email_batch IS NOT NULL;

  -- One agent may pay one address up to spend_limit in total without being asked.
  CREATE TABLE approval_grant (
    id TEXT PRIMARY KEY, approval_id TEXT NOT NULL, agent_id TEXT NOT NULL, group_id TEXT NOT NULL,
    address TEXT NOT NULL, contact_id TEXT, contact_name TEXT,
    spend_limit INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL, created_name TEXT,
    ends_at INTEGER NOT NULL, ended_at INTEGER, end_reason TEXT,
    CHECK (used >= 0 AND used <= spend_limit), CHECK ((ended_at IS NULL) = (end_reason IS NULL))
  );
  CREATE INDEX approval_grant_live ON approval_grant (agent_id) WHERE ended_at IS NULL;

  -- Bookings

  -- Logs that are in the books, so that reading a range again books nothing twice. Index -1: the sum of the block's small
  -- deposits, which are booked together.
  CREATE TABLE booked_log (
    wallet_id TEXT NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL, dust INTEGER,
    PRIMARY KEY (wallet_id, block, log_index)
  ) WITHOUT ROWID;
  -- Deposits, and withdrawals without a payment: rows of the transaction list. Ids name the place on chain, so that reading it
  -- again after a restore makes the same rows.
  CREATE TABLE movement (
    id TEXT PRIMARY KEY, wallet_id TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('deposit','withdrawal')),
    origin TEXT NOT NULL CHECK (origin IN ('transfer','small','start','owner')), amount INTEGER NOT NULL CHECK (amount > 0),
    address TEXT, tx TEXT, at INTEGER NOT NULL, action_id TEXT UNIQUE
  ) WITHOUT ROWID;
  -- The balance of a wallet when it was added is its first deposit.
  CREATE TRIGGER wallet_started AFTER INSERT ON wallet WHEN NEW.start_balance > 0 BEGIN
    INSERT INTO movement (id, wallet_id, kind, origin, amount, at)
      VALUES ('mov_' || NEW.id || '_start', NEW.id, 'deposit', 'start', NEW.start_balance, NEW.created_at);
    INSERT OR REPLACE INTO change (ref) VALUES ('mov_' || NEW.id || '_start');
  END;
  -- Bookings are undone, newest first, if their block leaves the chain before it is final. kind: what the log did; value:
  -- micro-USDC; ref: the payment or payout, or the movement; status_before: the payout's.
  CREATE TABLE booking (
    seq INTEGER PRIMARY KEY, wallet_id TEXT NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL,
    block_hash TEXT NOT NULL, tx TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('deposited','returned','left','paid','funded','announced','withdrawn','reclaimed')),
    value INTEGER NOT NULL, ref TEXT, status_before TEXT
  );
  CREATE INDEX booking_block ON booking (wallet_id, block, log_index);

${limitTables}
  -- Events

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL, ref TEXT NOT NULL, data TEXT NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL
  );
  CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
  CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
  -- A budget's history reads only the events that set its limit.
  CREATE INDEX audit_budget ON audit (ref, at, seq) WHERE event IN ('group.created', 'group.changed', 'group.topped_up');
  -- Notices of the bell. seq: the event's row in the audit log; about: repeats about the same thing are one notice until
  -- it is read; times: how many.
  CREATE TABLE notice (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL, ref TEXT NOT NULL, about TEXT NOT NULL, times INTEGER NOT NULL
  );
  CREATE INDEX notice_about ON notice (event, about);
  -- Webhooks. events: JSON; version rises when the failures of a webhook are cleared.
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, enabled INTEGER NOT NULL, disabled_reason TEXT,
    version INTEGER NOT NULL, sealed_secret TEXT NOT NULL, sealed_old_secret TEXT, old_secret_until INTEGER, created_at INTEGER NOT NULL
  );
  -- Events on their way to the WebhookSender, as they were when they happened. endpoints: JSON of webhook ids.
  CREATE TABLE webhook_event (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, endpoints TEXT NOT NULL
  );

  -- The object itself

  -- Login sessions of the owner that have ended in the last hour.
  CREATE TABLE ended_session (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE timer (kind TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;
  -- What History copies: seq is the number of the last change of a payment, or of a value that is kept (delivery/kept.ts).
  -- Numbers only rise, so the newest row is never deleted.
  CREATE TABLE change (seq INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE);
  -- Refs of what D1, the ClaimDesks and the mailer do not have yet; contents are read from the rows. Failing entries have
  -- their own delays and do not hold up the others.
  CREATE TABLE outbox (
    kind TEXT NOT NULL, ref TEXT NOT NULL, seq INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
  -- The owner as D1 has them, so that D1 can be rebuilt. password_at: when their password was chosen.
  CREATE TABLE owner (
    one INTEGER PRIMARY KEY CHECK (one = 1), email TEXT NOT NULL, name TEXT, status TEXT NOT NULL,
    temporary_since INTEGER, public_address TEXT, region TEXT, password_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  );
`
