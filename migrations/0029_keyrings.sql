-- Versions of the keyrings as they were first seen, so that a wrong secret under a known version shows. first_seen: ms.
CREATE TABLE key_version (
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  PRIMARY KEY (name, version)
);

-- What each account still has under older versions, as it was at checked_at (ms).
CREATE TABLE key_use (
  user_id TEXT PRIMARY KEY,
  checked_at INTEGER NOT NULL,
  -- Values sealed under an older KEK.
  unsealed INTEGER NOT NULL,
  -- When the last open payout under an older payout secret, or code pepper, expires (ms). Null: there is none.
  payout_until INTEGER,
  code_until INTEGER
);
CREATE INDEX key_use_checked_idx ON key_use (checked_at);

-- The version of the code pepper that the hash was made with.
ALTER TABLE signup_passcode ADD COLUMN pepper_version INTEGER NOT NULL DEFAULT 1;
