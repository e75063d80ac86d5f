-- What only its Treasury knew of a payment or payout, beside what is shown (body): a Treasury of an earlier time is brought up
-- to date from it. JSON; null: written before this column existed, or nothing is needed.
ALTER TABLE transaction_view ADD COLUMN kept TEXT;
ALTER TABLE payout_view ADD COLUMN kept TEXT;
-- The same for the account: `salt`, of its payouts' keys, sealed; `wallet:<id>`, a wallet without its keys, as JSON.
CREATE TABLE kept_value (
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  seq INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (user_id, name)
);
