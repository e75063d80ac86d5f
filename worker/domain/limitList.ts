import type { Limits, Rate } from './limits.ts'

/**
 * Every limit of one account that a refusal can name, as `limits.<name>`, with its text. The figures are in limits.ts. What counts
 * a limit is in the Treasury: buckets of `rates` in its table `rate`, everything else where it is spent.
 */
type LimitCode = 'payment_rate_exceeded' | 'queue_full' | 'gas_allowance_exceeded' | 'message_limit' | 'rate_limited'

type RateLimit = { code: LimitCode; rate: (limits: Limits) => Rate; text: (rate: Rate) => string }

const often = ({ perSecond, burst }: Rate) => `${perSecond} per second, with bursts of ${burst}`
const times = ({ burst }: Rate) => (burst === 1 ? 'once' : `${burst} times`)
const daily = (burst: number): Rate => ({ perSecond: burst / 86_400, burst })
const hourly = (burst: number): Rate => ({ perSecond: burst / 3600, burst })

/** Token buckets of one principal: an agent's id, `owner`, or `account` for all of them together. */
export const rates = {
  agent_payments: {
    code: 'payment_rate_exceeded',
    rate: (limits) => ({ perSecond: limits.agentPaymentsPerSecond, burst: limits.agentPaymentBurst }),
    text: (rate) => `This agent may make payments at ${often(rate)}.`,
  },
  user_payments: {
    code: 'payment_rate_exceeded',
    rate: (limits) => ({ perSecond: limits.userPaymentsPerSecond, burst: limits.userPaymentBurst }),
    text: (rate) => `This account may make payments at ${often(rate)}.`,
  },
  /** Look-ups on the network or in D1 that a call causes before it is decided. */
  lookups: {
    code: 'rate_limited',
    rate: (limits) => ({ perSecond: limits.agentLookupsPerSecond, burst: limits.agentLookupBurst }),
    text: (rate) => `New recipients can be checked at ${often(rate)}.`,
  },
  /** Requests of Bursar to hosts that an agent names, before they are paid for the first time. */
  sellers: {
    code: 'rate_limited',
    rate: () => ({ perSecond: 1 / 3, burst: 20 }),
    text: ({ burst }) => `New sellers can be checked at ${burst} per minute.`,
  },
  /** Requests for the owner's approval. */
  approvals: {
    code: 'rate_limited',
    rate: (limits) => daily(limits.agentApprovalsPerDay),
    text: (rate) => `An agent can ask its owner ${times(rate)} a day.`,
  },
  /** Rows of payout runs, each of which may be looked up on the network. */
  run_rows: {
    code: 'rate_limited',
    rate: (limits) => hourly(limits.runRowsPerHour),
    text: ({ burst }) => `Payout runs may have ${burst} rows an hour.`,
  },
  agent_run_rows: {
    code: 'rate_limited',
    rate: (limits) => hourly(limits.agentRunRowsPerHour),
    text: ({ burst }) => `The payout runs of an agent may have ${burst} rows an hour.`,
  },
  /** Deploys, rotations and actions that the owner signs. */
  owner_actions: {
    code: 'rate_limited',
    rate: (limits) => hourly(limits.ownerActionsPerHour),
    text: (rate) => `Wallets can be changed ${times(rate)} an hour.`,
  },
  owner_changes: {
    code: 'rate_limited',
    rate: (limits) => hourly(limits.ownerChangesPerHour),
    text: (rate) => `Groups, agents and names can be changed ${times(rate)} an hour.`,
  },
} as const satisfies Record<string, RateLimit>
export type RateName = keyof typeof rates

/** What callers can do about most limits. */
export const waitAndRepeat = 'Wait until resets_at, then send the request again with the same Idempotency-Key.'

/** `next` is what the caller can do. */
type CountedLimit = { code: LimitCode; next: string; text: (limits: Limits) => string }
type Text = CountedLimit['text']

const ofMessages = (text: Text): CountedLimit => ({
  code: 'message_limit',
  next: 'Wait until resets_at, or pay an address instead.',
  text: (limits) => `${text(limits)} This limit resets at 00:00 UTC.`,
})
const ofGas = (text: string): CountedLimit => ({
  code: 'gas_allowance_exceeded',
  next: waitAndRepeat,
  text: () => `${text} It resets at 00:00 UTC.`,
})
const ofQueue = (text: Text): CountedLimit => ({ code: 'queue_full', next: waitAndRepeat, text })
const agentsPart = (perDay: number, { agentMessagePercent }: Limits) => Math.floor((perDay * agentMessagePercent) / 100)

/** Messages that one agent may cause per day, of those that its account may send. */
export const messagesPerAgent = {
  email: (limits: Limits) => agentsPart(limits.emailsPerDay, limits),
  sms: (limits: Limits) => agentsPart(limits.smsPerDay, limits),
}

/** The key is the name, and for limits with several texts a case of it. */
export const countedLimits = {
  queue: ofQueue(
    ({ agentQueued }) =>
      `${agentQueued} payments of this agent are queued, which is the limit. They are sent as earlier ones are confirmed.`,
  ),
  open_purchases: ofQueue(
    ({ openPurchases }) => `${openPurchases} purchases of this agent are not settled yet, which is the limit.`,
  ),
  'open_purchases from one seller': ofQueue(
    ({ openPurchasesPerSeller }) =>
      `${openPurchasesPerSeller} purchases from this seller are not settled yet, which is the limit.`,
  ),
  'messages by email': ofMessages(
    (limits) => `This account may send ${limits.emailsPerDay} emails to recipients a day.`,
  ),
  'messages by sms': ofMessages(
    (limits) => `This account may send ${limits.smsPerDay} text messages to recipients a day.`,
  ),
  'agent_messages by email': ofMessages(
    (limits) => `This agent may send ${messagesPerAgent.email(limits)} emails to recipients a day.`,
  ),
  'agent_messages by sms': ofMessages(
    (limits) => `This agent may send ${messagesPerAgent.sms(limits)} text messages to recipients a day.`,
  ),
  'run_messages by email': ofMessages(
    (limits) => `Payout runs may send ${messagesPerAgent.email(limits)} emails to recipients a day.`,
  ),
  'run_messages by sms': ofMessages(
    (limits) => `Payout runs may send ${messagesPerAgent.sms(limits)} text messages to recipients a day.`,
  ),
  recipient_messages: ofMessages(
    (limits) => `This account may send one recipient ${limits.messagesPerRecipient} messages a day.`,
  ),
  renewals: ofMessages(() => 'Too many new codes were sent for this sender today.'),
  new_account_messages: ofMessages(() => 'This recipient was sent too many messages by new accounts today.'),
  'gas of the account': ofGas('This account has used its gas allowance for today.'),
  'gas of an agent': ofGas('This agent has used its gas allowance for today.'),
  'gas of runs': ofGas('Payout runs have used their gas allowance for today.'),
  new_accounts_gas: ofGas('This service has spent today’s gas for new accounts.'),
  exit_gas: ofGas('Today’s gas for withdrawals and revocations is used up. You can still send them yourself.'),
  send_on_gas: ofGas('Today’s gas for sending on is used up. With your 12 words you can send from any wallet app.'),
  send_ons: {
    code: 'rate_limited',
    next: 'Wait until resets_at.',
    text: ({ sendOnsPerDay }) =>
      `Today’s ${sendOnsPerDay} free transfers are used up. Try again tomorrow. With your 12 words you can send from any wallet app.`,
  },
} as const satisfies Record<string, CountedLimit>
export type CountedName = keyof typeof countedLimits
