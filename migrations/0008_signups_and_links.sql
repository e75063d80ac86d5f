-- Sign-ups with a password. Several may wait for the proof of one email address, because anyone can sign up any address;
-- the account gets the password of the one whose token its owner's browser holds. Sign-ups of an address that already has
-- an account are kept as well, so that nothing distinguishes them. Times are epoch milliseconds.
CREATE TABLE signup (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  name TEXT,
  -- With Cognito a mark if the user pool has the password of this sign-up, otherwise null.
  password_hash TEXT,
  created_at INTEGER NOT NULL
);
CREATE INDEX signup_user_idx ON signup (user_id, created_at);
CREATE INDEX signup_created_idx ON signup (created_at);

-- Links of reset and confirmation mails. Unlike the code, an earlier link stays valid when another mail is requested.
CREATE TABLE account_link (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('confirm', 'reset')),
  expires_at INTEGER NOT NULL
);
CREATE INDEX account_link_user_idx ON account_link (user_id);
CREATE INDEX account_link_expiry_idx ON account_link (expires_at);

-- Accounts that nobody has confirmed are deleted after a while.
CREATE INDEX user_unconfirmed_idx ON user (updated_at) WHERE status = 'UNCONFIRMED';

-- Until it is confirmed an account has no password.
INSERT INTO signup (token_hash, user_id, name, password_hash, created_at)
  SELECT lower(hex(randomblob(32))), id, name, password_hash, updated_at FROM user WHERE status = 'UNCONFIRMED';
UPDATE user SET password_hash = 'none' WHERE status = 'UNCONFIRMED' AND password_hash LIKE '$scrypt$%';
