import { integer, real, table, text } from '../../../durable/table.ts'

/**
 * What the account has used of rates, gas and messages (domain/limits.ts, treasury/limits/). A principal is an agent's id,
 * 'owner', or 'account' for all of them together. Days are kept for two days.
 */

/** Token buckets. */
const rate = table(
  'rate',
  { principal: text(), name: text(), tokens: real(), at: integer() },
  { constraints: 'PRIMARY KEY (principal, name)', isWithoutRowid: true },
)

/** Gas units reserved or used. Principal 'exit' is the pool of owner exits, and 'granted …' what a new account has left of grants. */
const gasUse = table(
  'gas_use',
  { day: integer(), principal: text(), gas: integer() },
  { constraints: 'PRIMARY KEY (day, principal)', isWithoutRowid: true },
)

/** Today's allowance and outcomes. */
const gasLevel = table('gas_level', {
  one: integer('PRIMARY KEY CHECK (one = 1)'),
  allowance: integer(),
  day: integer(),
  confirmed: integer(),
  failed: integer(),
  /** While the account is new: what was confirmed on the primary network, `sent` in micro-USDC. */
  payments: integer(),
  sent: integer(),
})

/**
 * Messages to recipients: to each one ('' as principal) and by each principal ('' as recipient); both '' for all of them.
 * Principal 'recipient' are renewals that recipients requested, which are in no other count.
 */
const sentMessage = table(
  'sent_message',
  { day: integer(), channel: text(), recipient: text(), principal: text(), count: integer() },
  { constraints: 'PRIMARY KEY (day, channel, recipient, principal)', isWithoutRowid: true },
)

/** What a person's changes without the password added to what may leave, by quarter of an hour, in micro-USDC. */
const ownerIncrease = table(
  'owner_increase',
  { person: text(), period: integer(), amount: integer() },
  { constraints: 'PRIMARY KEY (person, period)', isWithoutRowid: true },
)

/** What was accepted with only this person behind it, while a second person is needed above a limit. As `owner_increase`. */
const aloneSpent = table(
  'alone_spent',
  { person: text(), period: integer(), amount: integer() },
  { constraints: 'PRIMARY KEY (person, period)', isWithoutRowid: true },
)

export const limitTables = [rate, gasUse, gasLevel, sentMessage, ownerIncrease, aloneSpent] as const
