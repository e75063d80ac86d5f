/** Bookings that can be undone, and the blocks up to which things are final. */
export const bookingTables = `
  -- Reorganisations. Bookings are undone, newest first, if their block leaves the chain before it is final. kind: what
  -- the log did; value: micro-USDC; ref: the payment or payout, null for the wallet alone; status_before: the payout's.
  CREATE TABLE booking (
    seq INTEGER PRIMARY KEY, wallet_id TEXT NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL,
    block_hash TEXT NOT NULL, tx TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('deposited','returned','left','paid','funded','announced','withdrawn','reclaimed')),
    value INTEGER NOT NULL, ref TEXT, status_before TEXT
  );
  CREATE INDEX booking_block ON booking (wallet_id, block, log_index);
  -- The block whose hash says whether the chain is still the one that was booked. Null until the next reading.
  ALTER TABLE wallet ADD COLUMN anchor_block INTEGER;
  ALTER TABLE wallet ADD COLUMN anchor_hash TEXT;
  -- Everything up to here is final. What was booked before hashes were kept counts as final.
  ALTER TABLE wallet ADD COLUMN final_block INTEGER NOT NULL DEFAULT 0;
  UPDATE wallet SET final_block = scanned_block;
  -- The block at which the session was adopted; null if final. undone: a reorganisation removed it; its nonces stay used.
  ALTER TABLE session ADD COLUMN adopted_block INTEGER;
  ALTER TABLE session ADD COLUMN undone INTEGER NOT NULL DEFAULT 0;
  -- The block at which the chain showed the action as done.
  ALTER TABLE wallet_action ADD COLUMN done_block INTEGER;
  -- The block of the reclaim: once it is final, the budget gets the amount back. Null if it has, or without a reclaim.
  ALTER TABLE payout ADD COLUMN returned_block INTEGER;
  CREATE INDEX payout_returned ON payout (wallet_id, returned_block) WHERE returned_block IS NOT NULL;
  -- The payout's end was undone at least once, so the lists may show an end that is gone.
  ALTER TABLE payout ADD COLUMN end_undone INTEGER NOT NULL DEFAULT 0;
  `
