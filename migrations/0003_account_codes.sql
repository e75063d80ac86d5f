-- Codes that prove an e-mail address, and the nonce that proves a wallet. Times are epoch milliseconds.

-- One live code per user and purpose: a new one replaces the old.
CREATE TABLE account_code (
  user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('confirm', 'reset')),
  -- HMAC under a Worker secret: six digits alone would be guessed from a database copy.
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  -- Raised before a guess is compared.
  tries INTEGER NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 5),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, purpose)
);
CREATE INDEX account_code_expiry_idx ON account_code (expires_at);

CREATE TABLE address_nonce (
  user_id TEXT PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
  nonce TEXT NOT NULL CHECK (length(nonce) >= 32),
  expires_at INTEGER NOT NULL
);
CREATE INDEX address_nonce_expiry_idx ON address_nonce (expires_at);
