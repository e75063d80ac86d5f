import type { Address } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'

const policyGroup = table('policy_group', {
  id: text('PRIMARY KEY'),
  wallet_id: text('REFERENCES wallet(id)'),
  name: text(),
  spend_limit: maybeInteger(),
  spent: integer('DEFAULT 0'),
  held: integer('DEFAULT 0 CHECK (held >= 0)'),
  scopes: text(),
  version: integer('DEFAULT 1'),
  /** The version that an approver has confirmed, with all its limits; null if none has. */
  confirmed_version: maybeInteger(),
  paused: integer('DEFAULT 0'),
  payments: integer('DEFAULT 0'),
  last_activity_at: maybeInteger(),
  created_at: integer(),
  deleted_at: maybeInteger(),
  /** JSON of the rules that are on (domain/rules/values.ts). */
  rules: text("DEFAULT '{}'"),
  /** JSON of what they have counted over time (countedWindows.ts). */
  windows: text("DEFAULT '{}'"),
  /** The number of recipients in recipient_window. */
  subjects: integer('DEFAULT 0'),
  /** Payouts accepted and not ended; part of held. */
  unclaimed: integer('DEFAULT 0 CHECK (unclaimed >= 0)'),
  /** Percent of `noticed_limit` that the owner was last notified of. */
  noticed: integer('DEFAULT 0'),
  noticed_limit: maybeInteger(),
})
export type GroupRow = RowOf<typeof policyGroup>

/** What rules have counted of one recipient. A row whose `ends_at` has passed counts nothing. */
const recipientWindow = table(
  'recipient_window',
  {
    group_id: text('REFERENCES policy_group(id)'),
    /** The recipient. */
    subject: text(),
    /** As in a group's row. */
    windows: text(),
    ends_at: integer(),
  },
  {
    constraints: 'PRIMARY KEY (group_id, subject)',
    isWithoutRowid: true,
    indexes: 'CREATE INDEX recipient_window_ended ON recipient_window (group_id, ends_at);',
  },
)

const whitelist = table(
  'whitelist',
  {
    group_id: text('REFERENCES policy_group(id)'),
    contact_id: text(),
    name: text(),
    address: maybeText<Address>(),
    email: maybeText(),
    phone: maybeText(),
    stale: integer('DEFAULT 0'),
  },
  {
    constraints: 'PRIMARY KEY (group_id, contact_id)',
    // whitelist_shown: the order in which the first are shown.
    indexes: `
      CREATE INDEX whitelist_shown ON whitelist (group_id, stale DESC, name, contact_id);
      CREATE INDEX whitelist_name ON whitelist (group_id, name, contact_id);
      CREATE INDEX whitelist_contact ON whitelist (contact_id);`,
  },
)
export type WhitelistRow = RowOf<typeof whitelist>

/** What a contact was last changed to (all null if deleted), so that a whitelist made meanwhile is not behind it. */
const contactNow = table(
  'contact_now',
  { contact_id: text('PRIMARY KEY'), address: maybeText(), email: maybeText(), phone: maybeText() },
  { isWithoutRowid: true },
)

const agent = table('agent', {
  id: text('PRIMARY KEY'),
  group_id: text('REFERENCES policy_group(id)'),
  name: text(),
  memo: maybeText(),
  client_id: text(),
  payments: integer('DEFAULT 0'),
  spent: integer('DEFAULT 0'),
  held: integer('DEFAULT 0 CHECK (held >= 0)'),
  last_activity_at: maybeInteger(),
  paused: integer('DEFAULT 0'),
  created_at: integer(),
  deleted_at: maybeInteger(),
})
export type AgentRow = RowOf<typeof agent>

const credential = table('credential', {
  hash: text('PRIMARY KEY'),
  agent_id: text('REFERENCES agent(id)'),
  kind: oneOf(['secret', 'api_key', 'connection']),
  expires_at: maybeInteger(),
  created_at: integer(),
})
export type CredentialRow = RowOf<typeof credential>

export const policyTables = [policyGroup, recipientWindow, whitelist, contactNow, agent, credential] as const
