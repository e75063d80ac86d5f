/** Migration of the Treasury that adds approvals. Amounts are micro-USDC, times ms. */
export const approvalTables = `
  -- What of a group's payments waits for the owner; 0 minutes: repeats are not looked at.
  ALTER TABLE policy_group ADD COLUMN approve_above INTEGER;
  ALTER TABLE policy_group ADD COLUMN approve_new_recipient INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE policy_group ADD COLUMN approval_ttl_hours INTEGER NOT NULL DEFAULT 24;
  ALTER TABLE policy_group ADD COLUMN duplicate_minutes INTEGER NOT NULL DEFAULT 0;

  -- Asked of the owner. payment_id: the payment that it becomes, null for a budget request. recipient: as the agent gave
  -- it; to_address, email, phone: where the money goes, frozen when it was asked. asked: why. content: whom and how much.
  -- email_batch: number of the message that tells the owner.
  CREATE TABLE approval (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('payment','budget')),
    status TEXT NOT NULL CHECK (status IN ('PENDING','APPROVED','DENIED','EXPIRED','CANCELLED')),
    agent_id TEXT NOT NULL, group_id TEXT NOT NULL, wallet_id TEXT NOT NULL, credential_hash TEXT NOT NULL,
    payment_id TEXT UNIQUE, recipient TEXT, to_type TEXT, to_address TEXT, contact_id TEXT, contact_name TEXT,
    email TEXT, phone TEXT, amount INTEGER NOT NULL, memo TEXT, agent_reason TEXT,
    asked TEXT NOT NULL, content TEXT NOT NULL, policy_version INTEGER NOT NULL,
    asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, ended_at INTEGER,
    decided_by TEXT, decided_name TEXT, cancelled TEXT, grant_id TEXT,
    email_batch INTEGER, email_state TEXT NOT NULL DEFAULT 'waiting', email_at INTEGER,
    push_state TEXT NOT NULL DEFAULT 'not_set_up', push_at INTEGER,
    CHECK ((status = 'PENDING') = (ended_at IS NULL)), CHECK ((kind = 'payment') = (payment_id IS NOT NULL))
  );
  CREATE INDEX approval_pending ON approval (expires_at, agent_id) WHERE status = 'PENDING';
  CREATE INDEX approval_asked ON approval (asked_at, id);
  CREATE INDEX approval_agent ON approval (agent_id, asked_at, id);
  CREATE INDEX approval_content ON approval (content, asked_at);
  CREATE INDEX approval_batch ON approval (email_batch) WHERE email_batch IS NOT NULL;

  -- One agent may pay one address up to spend_limit in total without being asked.
  CREATE TABLE approval_grant (
    id TEXT PRIMARY KEY, approval_id TEXT NOT NULL, agent_id TEXT NOT NULL, group_id TEXT NOT NULL,
    address TEXT NOT NULL, contact_id TEXT, contact_name TEXT,
    spend_limit INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL, created_name TEXT,
    ends_at INTEGER NOT NULL, ended_at INTEGER, end_reason TEXT,
    CHECK (used >= 0 AND used <= spend_limit), CHECK ((ended_at IS NULL) = (end_reason IS NULL))
  );
  CREATE INDEX approval_grant_live ON approval_grant (agent_id) WHERE ended_at IS NULL;

  -- The approval that a payment had, and the grant that it used.
  ALTER TABLE payment ADD COLUMN approval_id TEXT;
  ALTER TABLE payment ADD COLUMN grant_id TEXT;
  `
