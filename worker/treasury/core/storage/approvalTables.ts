import type { ApprovalKind, ApprovalStatus, CancelReason, GrantEnd } from '#domain/approval.ts'
import type { Channel } from '#schemas/approval.ts'
import type { Address } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'

/** Requests to the owner: a payment that waits, or an amount of budget. */
const approval = table(
  'approval',
  {
    id: text('PRIMARY KEY'),
    kind: oneOf<ApprovalKind>(['payment', 'budget']),
    status: oneOf<ApprovalStatus>(['PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED']),
    agent_id: text(),
    group_id: text(),
    /** The credential that the agent used. It must still be valid when the owner approves. */
    credential_hash: text(),
    /** Null for a budget request. */
    payment_id: maybeText('UNIQUE REFERENCES payment(id)'),
    amount: integer(),
    /** The agent's. */
    reason: maybeText(),
    /** JSON of `askedBecause` in the view. */
    rules: text(),
    /** Equal for repeated requests (approvals/approvalRules.ts). */
    same_request: text(),
    asked_at: integer(),
    expires_at: integer(),
    ended_at: maybeInteger(),
    decided_by: maybeText(),
    decided_name: maybeText(),
    cancelled: maybeText<CancelReason>(),
    grant_id: maybeText(),
    /** The number of the message that notifies the owner. */
    email_batch: maybeInteger(),
    email_state: text<Channel['state'], "DEFAULT 'waiting'">("DEFAULT 'waiting'"),
    email_at: maybeInteger(),
    push_state: text<Channel['state'], "DEFAULT 'not_set_up'">("DEFAULT 'not_set_up'"),
    push_at: maybeInteger(),
  },
  {
    constraints:
      "CHECK ((status = 'PENDING') = (ended_at IS NULL)), CHECK ((kind = 'payment') = (payment_id IS NOT NULL))",
    indexes: `
      CREATE INDEX approval_pending ON approval (expires_at, agent_id) WHERE status = 'PENDING';
      CREATE INDEX approval_asked ON approval (asked_at, id);
      CREATE INDEX approval_agent ON approval (agent_id, asked_at, id);
      CREATE INDEX approval_same_request ON approval (same_request, asked_at);
      CREATE INDEX approval_unapproved ON approval (ended_at) WHERE status IN ('DENIED','EXPIRED','CANCELLED');
      CREATE INDEX approval_batch ON approval (email_batch) WHERE email_batch IS NOT NULL;`,
  },
)
export type ApprovalRow = RowOf<typeof approval>

/** One agent may pay one address up to spend_limit in total without being asked. */
const approvalGrant = table(
  'approval_grant',
  {
    id: text('PRIMARY KEY'),
    approval_id: text(),
    agent_id: text(),
    group_id: text(),
    address: text<Address>(),
    contact_id: maybeText(),
    contact_name: maybeText(),
    spend_limit: integer(),
    used: integer('DEFAULT 0'),
    created_at: integer(),
    created_by: text(),
    created_name: maybeText(),
    ends_at: integer(),
    ended_at: maybeInteger(),
    end_reason: maybeText<GrantEnd>(),
  },
  {
    constraints: 'CHECK (used >= 0 AND used <= spend_limit), CHECK ((ended_at IS NULL) = (end_reason IS NULL))',
    indexes: 'CREATE INDEX approval_grant_live ON approval_grant (agent_id) WHERE ended_at IS NULL;',
  },
)
export type GrantRow = RowOf<typeof approvalGrant>

export const approvalTables = [approval, approvalGrant] as const
