-- The whole schema of D1, changed in place until the first deployment. Times are epoch milliseconds unless a comment says otherwise;
-- hashes are SHA-256 or HMAC-SHA-256 in hex, amounts micro-USDC.

-- Accounts

CREATE TABLE user (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 1000),
  name TEXT CHECK (name IS NULL OR length(name) BETWEEN 1 AND 100),
  status TEXT NOT NULL CHECK (status IN ('UNCONFIRMED', 'CONFIRMED', 'FORCE_CHANGE_PASSWORD')),
  password_hash TEXT NOT NULL,
  -- When the temporary password was mailed; null once the user has chosen one.
  temporary_since INTEGER,
  public_address TEXT CHECK (public_address IS NULL OR length(public_address) = 42),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When the password was chosen; 0 if the user has not chosen one.
  password_at INTEGER NOT NULL DEFAULT 0,
  -- Where the user's objects are created; null if the place of the first sign-in is not known yet.
  region TEXT CHECK (region IS NULL OR region IN ('wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me')),
  CHECK ((status = 'FORCE_CHANGE_PASSWORD') = (temporary_since IS NOT NULL))
);
CREATE INDEX user_unconfirmed_idx ON user (updated_at) WHERE status = 'UNCONFIRMED';

-- One row per sign-in. All refresh tokens of that sign-in belong to it and end with it.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  revoked_at INTEGER,
  revoked_reason TEXT CHECK (revoked_reason IN ('reuse', 'password_changed')),
  connection_request_id TEXT,
  CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
);
CREATE INDEX session_user_idx ON session (user_id);
CREATE INDEX session_expiry_idx ON session (expires_at);

CREATE TABLE refresh_token (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  -- When it was first exchanged. Using it after the grace period means that it was stolen.
  replaced_at INTEGER,
  -- How often it was exchanged, and the token that it was exchanged for.
  successors INTEGER NOT NULL DEFAULT 0,
  parent_hash TEXT
);
CREATE INDEX refresh_token_session_idx ON refresh_token (session_id);
CREATE INDEX refresh_token_replaced_idx ON refresh_token (replaced_at) WHERE replaced_at IS NOT NULL;

CREATE TABLE login_challenge (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
);
CREATE INDEX login_challenge_user_idx ON login_challenge (user_id);
CREATE INDEX login_challenge_expiry_idx ON login_challenge (expires_at);

CREATE TABLE signup_passcode (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  label TEXT NOT NULL,
  -- Null: any number of accounts.
  max_uses INTEGER CHECK (max_uses IS NULL OR max_uses > 0),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0 AND (max_uses IS NULL OR used <= max_uses)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  -- The version of the code pepper with which the hash was computed.
  pepper_version INTEGER NOT NULL DEFAULT 1
);

-- Sign-ups with a password. Anyone can sign up any address, so several may wait for the confirmation of one address; the account
-- gets the password of the sign-up whose token the owner's browser has. Sign-ups of an address that has an account are stored as
-- well, so that the two cases cannot be told apart.
CREATE TABLE signup (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT,
  -- With Cognito: set if the user pool has the password of this sign-up, otherwise null.
  password_hash TEXT,
  created_at INTEGER NOT NULL
);
CREATE INDEX signup_user_idx ON signup (user_id, created_at);
CREATE INDEX signup_created_idx ON signup (created_at);

-- Codes that prove an email address. One per user and purpose: a new one replaces the old.
CREATE TABLE account_code (
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('confirm', 'reset')),
  -- HMAC under a Worker secret: six digits alone could be guessed from a copy of the database.
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  -- Raised before a guess is compared.
  tries INTEGER NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 5),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, purpose)
);
CREATE INDEX account_code_expiry_idx ON account_code (expires_at);

-- Links of reset and confirmation mails. Unlike a code, an earlier link stays valid when another mail is requested.
CREATE TABLE account_link (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('confirm', 'reset')),
  expires_at INTEGER NOT NULL
);
CREATE INDEX account_link_user_idx ON account_link (user_id);
CREATE INDEX account_link_expiry_idx ON account_link (expires_at);

-- Nonces that prove a wallet's address.
CREATE TABLE address_nonce (
  user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  nonce TEXT NOT NULL CHECK (length(nonce) >= 32),
  expires_at INTEGER NOT NULL
);
CREATE INDEX address_nonce_expiry_idx ON address_nonce (expires_at);

-- Counted before the secret is compared, so parallel guesses never exceed the limit.
CREATE TABLE attempt (
  key TEXT PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  resets_at INTEGER NOT NULL
);
CREATE INDEX attempt_reset_idx ON attempt (resets_at);

CREATE TABLE contact (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  address TEXT CHECK (address IS NULL OR length(address) = 42),
  email TEXT CHECK (email IS NULL OR length(email) BETWEEN 3 AND 1000),
  phone TEXT CHECK (phone IS NULL OR length(phone) BETWEEN 8 AND 16),
  description TEXT CHECK (description IS NULL OR length(description) BETWEEN 1 AND 500),
  -- Name, methods and description in lower case. SQLite itself knows only the case of ASCII letters.
  search_text TEXT NOT NULL,
  -- Who changed it last, if that was a member.
  changed_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The cron erases a deleted contact after ten minutes; until then the deletion can be undone.
  deleted_at INTEGER,
  CHECK (address IS NOT NULL OR email IS NOT NULL OR phone IS NOT NULL)
);
CREATE INDEX contact_user_idx ON contact (user_id, deleted_at, created_at DESC, id DESC);
CREATE INDEX contact_address_idx ON contact (user_id, address COLLATE NOCASE) WHERE deleted_at IS NULL AND address IS NOT NULL;
CREATE INDEX contact_email_idx ON contact (user_id, email COLLATE NOCASE) WHERE deleted_at IS NULL AND email IS NOT NULL;
CREATE INDEX contact_phone_idx ON contact (user_id, phone COLLATE NOCASE) WHERE deleted_at IS NULL AND phone IS NOT NULL;
CREATE INDEX contact_deleted_idx ON contact (deleted_at) WHERE deleted_at IS NOT NULL;

-- The layout of the user's overview.
CREATE TABLE preferences (
  user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  body TEXT NOT NULL CHECK (length(body) <= 65536),
  updated_at INTEGER NOT NULL
);

-- Browsers that receive push messages. id: SHA-256 of the endpoint; a browser belongs to the user who last signed in there.
CREATE TABLE push_subscription (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
);
CREATE INDEX push_subscription_user_idx ON push_subscription (user_id, seen_at DESC);

-- Messages

-- Messages that were sent, so that none is sent twice, and their state as their vendor reports it.
CREATE TABLE delivered_message (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  payout_id TEXT,
  channel TEXT CHECK (channel IN ('email', 'sms')),
  state TEXT NOT NULL DEFAULT 'accepted'
    CHECK (state IN ('accepted', 'delivered', 'undelivered', 'bounced', 'complained')),
  state_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX delivered_message_at_idx ON delivered_message (at);
CREATE INDEX delivered_message_payout_idx ON delivered_message (payout_id, at DESC) WHERE payout_id IS NOT NULL;

-- Local stacks and tests only: receives emails and SMS instead of a vendor.
CREATE TABLE dev_inbox (
  id TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX dev_inbox_recipient_idx ON dev_inbox (recipient, at);

-- Channels whose vendor refused a message and has accepted none since.
CREATE TABLE message_failure (
  channel TEXT PRIMARY KEY CHECK (channel IN ('email', 'sms')),
  since INTEGER NOT NULL,
  last_at INTEGER NOT NULL
);

-- Work that the cron watches

-- Treasuries with work in progress. The cron wakes those that have not reported for two minutes. poked_at: when it last did.
CREATE TABLE busy_treasury (
  user_id TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  poked_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX busy_treasury_since ON busy_treasury (since);

-- Accounts with events to deliver. due_at: the WebhookSender's next attempt. The cron wakes those that are late; poked_at: when
-- it last did.
CREATE TABLE webhook_work (
  user_id TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL,
  poked_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX webhook_work_due_idx ON webhook_work (due_at);

-- Accounts whose newest state the Treasury and the bucket do not have yet; the cron sends it. version rises with each change.
CREATE TABLE account_to_keep (
  user_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL
);
CREATE TRIGGER user_created_keep AFTER INSERT ON user WHEN new.status <> 'UNCONFIRMED' BEGIN
  INSERT INTO account_to_keep (user_id, version) VALUES (new.id, 1) ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
END;
CREATE TRIGGER user_changed_keep AFTER UPDATE OF email, name, status, temporary_since, public_address, region, password_at ON user
WHEN new.status <> 'UNCONFIRMED' BEGIN
  INSERT INTO account_to_keep (user_id, version) VALUES (new.id, 1) ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
END;

-- Daily exports to the bucket. id: when the export began. kek_version: of the KEK then; its parts may be under later ones.
CREATE TABLE export_run (
  id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  kek_version INTEGER NOT NULL
);
-- Parts that are written. last_row: where the next part of this table continues. is_end: the last part of the table.
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

-- Operators

-- What operators did, and why. Append-only.
CREATE TABLE operator_action (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (length(reason) > 0),
  detail TEXT NOT NULL
);
CREATE INDEX operator_action_at_idx ON operator_action (at);
CREATE TRIGGER operator_action_no_update BEFORE UPDATE ON operator_action BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER operator_action_no_delete BEFORE DELETE ON operator_action BEGIN SELECT RAISE(ABORT, 'append-only'); END;

-- Conditions that operators are alerted to: one alert when a condition starts, one when it ends.
CREATE TABLE alert (
  key TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  since INTEGER NOT NULL,
  announced_at INTEGER
);

-- Faults inside an object, for alerts. The object writes the row when its state changes, so that nobody has to wake all objects. A
-- report counts only if its edition is higher than the stored one. detail: null once the fault has ended.
CREATE TABLE object_trouble (
  kind TEXT NOT NULL CHECK (kind IN ('wallet_halted', 'account_size', 'history_late', 'alarm_lost', 'schema_newer')),
  subject TEXT NOT NULL,
  user_id TEXT,
  edition INTEGER NOT NULL,
  since INTEGER NOT NULL,
  detail TEXT,
  PRIMARY KEY (kind, subject)
);

-- The operators' record of what they have stopped for all accounts. Without a row, nothing. Stop objects have the current state.
CREATE TABLE service_stop (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  mode TEXT NOT NULL CHECK (mode IN ('none', 'new', 'sign', 'all')),
  since INTEGER NOT NULL,
  version INTEGER NOT NULL
);

-- Accounts that were ever suspended, for lists only: the Treasury decides. since: null once the suspension has ended.
CREATE TABLE user_suspension (
  user_id TEXT PRIMARY KEY,
  since INTEGER,
  version INTEGER NOT NULL
);
CREATE INDEX user_suspension_since_idx ON user_suspension (since) WHERE since IS NOT NULL;

-- Accounts that are being restored. D1 has the row because the Treasury loses it when it is rolled back.
-- progress: how far the state has come, as JSON. step: rises with each change. frozen_at: when the Treasury confirmed that it has
-- stopped; null if it did not. confirmed: History's position when it had everything of it. ended_at: null while the restore is in
-- progress. version: rises when the restore starts and when it ends.
CREATE TABLE user_restore (
  user_id TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN
    ('frozen', 'rolled_back', 'waiting', 'copying', 'scanning', 'needs_review', 'open', 'open_watched')),
  progress TEXT,
  step INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  frozen_at INTEGER,
  confirmed TEXT,
  is_lost INTEGER NOT NULL,
  ended_at INTEGER,
  version INTEGER NOT NULL
);

-- Which accounts of others a person acts for. Only an address book: the account's Treasury decides on each call.
CREATE TABLE membership (
  -- Without a reference: the account may be rebuilt before the person is.
  person_id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  PRIMARY KEY (person_id, account_id)
);
CREATE INDEX membership_account_idx ON membership (account_id);

-- Webhooks of all accounts, which operators count; the Treasury has the webhooks themselves. A row counts only if its edition is
-- higher than the stored one. The sender writes failing_since: all attempts have failed since then.
CREATE TABLE webhook_endpoint (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('on', 'off', 'disabled')),
  edition INTEGER NOT NULL,
  failing_since INTEGER
);
CREATE INDEX webhook_endpoint_state_idx ON webhook_endpoint (state);
CREATE INDEX webhook_endpoint_failing_idx ON webhook_endpoint (failing_since);
-- Set while an operator has stopped webhooks for all accounts.
CREATE TABLE webhook_stop (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  since INTEGER NOT NULL
);

-- Versions of the keyrings when they were first seen, so that a wrong secret under a known version is detected.
CREATE TABLE key_version (
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  PRIMARY KEY (name, version)
);
-- What each account still has under older versions, as of checked_at.
CREATE TABLE key_use (
  user_id TEXT PRIMARY KEY,
  checked_at INTEGER NOT NULL,
  -- Values sealed under an older KEK.
  unsealed INTEGER NOT NULL,
  -- When the last open payout under an older payout secret, or code pepper, expires; null if there is none.
  payout_until INTEGER,
  code_until INTEGER,
  -- Error code if the last check failed. The other columns are then from an earlier check, if any.
  failure TEXT,
  -- How many such payouts there are, and the ids of those that expire first, as JSON.
  payouts INTEGER NOT NULL DEFAULT 0,
  codes INTEGER NOT NULL DEFAULT 0,
  -- API keys and client secrets that were made under an older secret of ids.
  credentials INTEGER NOT NULL DEFAULT 0,
  payout_ids TEXT,
  code_ids TEXT
);
CREATE INDEX key_use_checked_idx ON key_use (checked_at);

-- Apps that registered themselves at /oauth/register. used_at: when a person first allowed one. Unused ones are deleted after a
-- day. redirect_uris: JSON.
CREATE TABLE oauth_client (
  id TEXT PRIMARY KEY,
  name TEXT,
  redirect_uris TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
);
CREATE INDEX oauth_client_unused_idx ON oauth_client (created_at) WHERE used_at IS NULL;
-- Apps and devices that ask to be connected. Bound to the first person who opens the request (user_id); answered once.
CREATE TABLE connection_request (
  id TEXT PRIMARY KEY,
  client_id TEXT NOT NULL,
  -- Null for a device.
  redirect_uri TEXT,
  state TEXT,
  code_challenge TEXT,
  resource TEXT NOT NULL,
  -- Space-separated; null if the app named none.
  scope TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  user_id TEXT,
  answer TEXT CHECK (answer IN ('allowed', 'denied')),
  -- The connection in the Treasury of user_id.
  connection_id TEXT,
  -- Of a device: the hash of its code, the code that it shows, and where it asked from.
  device_hash TEXT UNIQUE,
  user_code TEXT UNIQUE,
  address_hash TEXT,
  place TEXT,
  CHECK ((device_hash IS NULL) = (redirect_uri IS NOT NULL))
);
CREATE INDEX connection_request_expiry_idx ON connection_request (expires_at);
CREATE INDEX connection_request_address_idx ON connection_request (address_hash) WHERE address_hash IS NOT NULL;
