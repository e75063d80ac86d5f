-- For housekeeping: what is old enough to go is found without reading whole tables.
CREATE INDEX transaction_view_refused_idx ON transaction_view (created_at) WHERE status = 'POLICY_REJECTED';
CREATE INDEX delivered_message_at_idx ON delivered_message (at);
CREATE INDEX refresh_token_replaced_idx ON refresh_token (replaced_at) WHERE replaced_at IS NOT NULL;
CREATE INDEX agent_credential_revoked_idx ON agent_credential (revoked_at) WHERE revoked_at IS NOT NULL;
