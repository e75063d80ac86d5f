-- Accounts, sessions, agents' credentials, contacts and the local inbox. Times are epoch milliseconds.

CREATE TABLE user (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 1000),
  name TEXT CHECK (name IS NULL OR length(name) BETWEEN 1 AND 100),
  status TEXT NOT NULL CHECK (status IN ('UNCONFIRMED', 'CONFIRMED', 'FORCE_CHANGE_PASSWORD')),
  password_hash TEXT NOT NULL,
  -- When the temporary password was mailed; null once the user chose one.
  temporary_since INTEGER,
  public_address TEXT CHECK (public_address IS NULL OR length(public_address) = 42),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((status = 'FORCE_CHANGE_PASSWORD') = (temporary_since IS NOT NULL))
);

-- One row per sign-in. Every refresh token of that sign-in belongs to it and dies with it.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  revoked_at INTEGER,
  revoked_reason TEXT CHECK (revoked_reason IN ('reuse', 'password_changed')),
  CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
);
CREATE INDEX session_user_idx ON session (user_id);
CREATE INDEX session_expiry_idx ON session (expires_at);

CREATE TABLE refresh_token (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  -- First time it was exchanged. A use later than the grace period after it is theft or its victim.
  replaced_at INTEGER
);
CREATE INDEX refresh_token_session_idx ON refresh_token (session_id);

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
  -- Null = any number of accounts.
  max_uses INTEGER CHECK (max_uses IS NULL OR max_uses > 0),
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0 AND (max_uses IS NULL OR used <= max_uses)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
);

-- Counted before the secret is looked at, so parallel guesses never exceed the cap.
CREATE TABLE attempt (
  key TEXT PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0),
  resets_at INTEGER NOT NULL
);
CREATE INDEX attempt_reset_idx ON attempt (resets_at);

-- Finds the user's Treasury and the agent; the Treasury decides everything else.
CREATE TABLE agent_credential (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  kind TEXT NOT NULL CHECK (kind IN ('secret', 'api_key')),
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
);
CREATE INDEX agent_credential_client_idx ON agent_credential (client_id);
CREATE INDEX agent_credential_agent_idx ON agent_credential (user_id, agent_id);

CREATE TABLE contact (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  address TEXT CHECK (address IS NULL OR length(address) = 42),
  email TEXT CHECK (email IS NULL OR length(email) BETWEEN 3 AND 1000),
  phone TEXT CHECK (phone IS NULL OR length(phone) BETWEEN 8 AND 16),
  description TEXT CHECK (description IS NULL OR length(description) BETWEEN 1 AND 500),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (address IS NOT NULL OR email IS NOT NULL OR phone IS NOT NULL)
);
CREATE INDEX contact_user_idx ON contact (user_id, created_at);

-- Which messages have left, so that a repeated send is not a second message.
CREATE TABLE delivered_message (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
);

-- Local stacks and tests only: where e-mails and SMS land instead of leaving.
CREATE TABLE dev_inbox (
  id TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX dev_inbox_recipient_idx ON dev_inbox (recipient, at);
