-- What lists read. Written by the Treasuries' outboxes, newest seq wins; rebuildable, never asked about money.
CREATE TABLE transaction_view (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  category TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  wallet_id TEXT NOT NULL,
  agent_id TEXT,
  contact_id TEXT,
  escrow_id TEXT,
  body TEXT NOT NULL
);
CREATE INDEX transaction_view_user ON transaction_view (user_id, created_at DESC, id DESC);

CREATE TABLE payout_view (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  wallet_id TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX payout_view_user ON payout_view (user_id, created_at DESC, id DESC);

-- Claim links: SHA-256 of the token leads to the payout. The address is kept so that nobody pays a payout twice by hand.
CREATE TABLE claim_link (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  payout_id TEXT NOT NULL UNIQUE,
  address TEXT NOT NULL UNIQUE COLLATE NOCASE,
  created_at INTEGER NOT NULL
);

-- Treasuries with work in progress; the cron watchdog pokes those that were not heard of for two minutes.
CREATE TABLE busy_treasury (
  user_id TEXT PRIMARY KEY,
  since INTEGER NOT NULL
);
CREATE INDEX busy_treasury_since ON busy_treasury (since);
