-- Why the last look at an account failed, as the code of the error; null: it did not. What the row says beside it is then of an
-- earlier look, or of none.
ALTER TABLE key_use ADD COLUMN failure TEXT;
-- How many open payouts are under an older payout secret, or code pepper, and the ids of those that expire first, as JSON.
ALTER TABLE key_use ADD COLUMN payouts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key_use ADD COLUMN codes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key_use ADD COLUMN payout_ids TEXT;
ALTER TABLE key_use ADD COLUMN code_ids TEXT;
-- Rows of accounts that failed said that they had no open payouts: all count as not looked at.
UPDATE key_use SET checked_at = 0;
