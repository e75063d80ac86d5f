-- What became of a message, as far as its vendor reports it; shown on the payout that the message is about.
ALTER TABLE delivered_message ADD COLUMN payout_id TEXT;
ALTER TABLE delivered_message ADD COLUMN channel TEXT CHECK (channel IN ('email', 'sms'));
ALTER TABLE delivered_message ADD COLUMN state TEXT NOT NULL DEFAULT 'accepted'
  CHECK (state IN ('accepted', 'delivered', 'undelivered', 'bounced', 'complained'));
ALTER TABLE delivered_message ADD COLUMN state_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX delivered_message_payout_idx ON delivered_message (payout_id, at DESC) WHERE payout_id IS NOT NULL;
