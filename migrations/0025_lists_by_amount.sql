-- Lists sorted by amount are read along an index too, as those sorted by time are.
CREATE INDEX transaction_view_user_amount ON transaction_view (user_id, amount DESC, id DESC);
CREATE INDEX payout_view_user_amount ON payout_view (user_id, amount DESC, id DESC);
