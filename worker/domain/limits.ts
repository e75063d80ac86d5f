/** People who act for one account besides its owner, with those who are invited. */
export const maxMembers = 20

/** Changes that one call of POST /changes/end may name. */
export const endedAtOnce = 1_000

/**
 * Limits on the work that one account may cause. The setting `LIMITS` (JSON) overrides single fields; an operator may
 * raise or lower them for one user. They keep a free account from delaying others or running up the operator's costs.
 * Budgets are separate and decided elsewhere.
 */
export const defaultLimits = {
  /** Accepted payments of one agent, and of all principals of one user. */
  agentPaymentsPerSecond: 5,
  agentPaymentBurst: 200,
  userPaymentsPerSecond: 20,
  userPaymentBurst: 400,
  /** Rotations, deploys and actions that the owner signs. */
  ownerActionsPerHour: 60,
  /** Changes of groups, agents and names. */
  ownerChangesPerHour: 600,
  /** Chain reads that an agent's calls may cause before they are decided. */
  agentLookupsPerSecond: 5,
  agentLookupBurst: 50,

  /** Slots of a wallet's 64 payments in flight: those kept for its owner, and the most for one agent. */
  ownerSlots: 16,
  agentInFlight: 24,
  agentQueued: 200,
  /** Purchases of one agent that are not settled, and those of them from one seller. */
  openPurchases: 20,
  openPurchasesPerSeller: 5,
  /** Rows of payout runs that are checked, per hour, and runs that have not ended. */
  runRowsPerHour: 5_000,
  openRuns: 20,
  /** The same of runs that one agent has prepared. */
  agentRunRowsPerHour: 1_000,
  agentOpenRuns: 3,
  /** Payments of all runs together that are not on chain yet. */
  runUnsettled: 48,
  /** Approvals that one agent may request per day, including decided ones. */
  agentApprovalsPerDay: 100,

  /** Gas units per UTC day: the initial allowance, and the most that it can grow to by doubling on good days. */
  gasPerDay: 20_000_000,
  maxGasPerDay: 200_000_000,
  /** USDC that confirmed payments must move on a day for the allowance to double, so that dust does not raise it. */
  goodDayUsdc: 1,
  /** Percent of the allowance: the most for one agent, and the part kept for the owner. */
  agentGasPercent: 40,
  ownerGasPercent: 20,
  /** For owner exits, in addition to the allowance: of any account, and of a new one. */
  exitGasPerDay: 20_000_000,
  newAccountExitGasPerDay: 1_000_000,
  /** For recipients who send on what they keep, in addition to the allowance, so that they never use up the owner's. */
  sendOnGasPerDay: 2_000_000,
  /** Transfers by recipients: of one payout, and of one of their accounts per day. */
  sendOnsPerPayout: 5,
  sendOnsPerDay: 5,
  /** Gas of failed payments that is returned per day. Beyond it their gas counts, which bounds the cost of failures. */
  gasReturnedPerDay: 40_000_000,

  /**
   * Gas units per UTC day that one Relayer grants to all new accounts together: for everything but exits, the part of it
   * that only first deploys may use, and for exits.
   */
  newAccountsGasPerDay: 1_000_000_000,
  newAccountsDeployGasPerDay: 300_000_000,
  newAccountsExitGasPerDay: 500_000_000,

  /** An account is new until its first wallet is this old and so many payments, of so much USDC together, were confirmed. */
  establishedAfterHours: 24,
  establishedAfterPayments: 10,
  establishedAfterUsdc: 10,

  /** Messages to recipients per UTC day and sender, and the percentage of them that one agent may cause. */
  emailsPerDay: 200,
  smsPerDay: 20,
  agentMessagePercent: 50,
  /** Messages to one recipient: from one sender, and from all new accounts together. */
  messagesPerRecipient: 5,
  newAccountMessagesPerRecipient: 5,

  /** Wrong confirmation and reset codes per account in 31 days. After that only the mailed link works. */
  wrongCodesPerMonth: 8,
  /**
   * Passwords checked per account and UTC day. The second figure is the part reserved for network addresses that the account
   * has signed in from, so that strangers cannot use up the owner's checks.
   */
  passwordsPerDay: 100,
  passwordsKeptForKnownAddresses: 20,

  /**
   * Calls of one signed-in user, counted in each isolate, and how many of them run at the same time; further ones wait. A
   * search, a filtered list and an export count as `userSearchCost` calls.
   */
  userCallsPerSecond: 10,
  userCallBurst: 100,
  userCallsAtOnce: 16,
  /** Of these, lists, searches and exports. */
  userListsAtOnce: 2,
  userSearchCost: 5,

  /** Calls from one network address, before D1 is read: to sign in or up, refresh or sign out; and checks of the health. */
  signInCallsPerMinute: 600,
  healthChecksPerMinute: 120,
  /** The same for apps and devices that ask to be connected, and for registrations: of each as many. */
  connectingCallsPerMinute: 120,

  /** Public calls about payouts from one network address: reads of claim pages, and calls that try or request a code. */
  claimReadsPerMinute: 600,
  claimTriesPerMinute: 120,
  /** Wrong codes per payout unless its sender renews the code: 20 per code, with each further code a day later. */
  claimTriesPerPayout: 60,

  /** Refusals that are recorded. Further ones are still returned. */
  refusalsPerMinute: 60,
  refusalsPerDay: 2_000,
}
export type Limits = typeof defaultLimits

/** The limits that are counted per account, which an operator can set for one account. */
export const userLimits = [
  'agentPaymentsPerSecond',
  'agentPaymentBurst',
  'userPaymentsPerSecond',
  'userPaymentBurst',
  'ownerActionsPerHour',
  'ownerChangesPerHour',
  'agentLookupsPerSecond',
  'agentLookupBurst',
  'ownerSlots',
  'agentInFlight',
  'agentQueued',
  'openPurchases',
  'openPurchasesPerSeller',
  'agentApprovalsPerDay',
  'runRowsPerHour',
  'openRuns',
  'agentRunRowsPerHour',
  'agentOpenRuns',
  'runUnsettled',
  'gasPerDay',
  'maxGasPerDay',
  'goodDayUsdc',
  'agentGasPercent',
  'ownerGasPercent',
  'exitGasPerDay',
  'newAccountExitGasPerDay',
  'sendOnGasPerDay',
  'sendOnsPerPayout',
  'sendOnsPerDay',
  'gasReturnedPerDay',
  'emailsPerDay',
  'smsPerDay',
  'agentMessagePercent',
  'messagesPerRecipient',
  'refusalsPerMinute',
  'refusalsPerDay',
] as const satisfies readonly (keyof Limits)[]

/** Throws unless the text is a JSON object of known limits with non-negative numbers: a typo must not lift a limit. */
export const parseLimits = (text: string | undefined | null): Partial<Limits> =>
  parseNumbers(text, defaultLimits, 'limit')

/** Parses a setting of this form. `what` is what errors call one of its fields. */
export function parseNumbers<Known extends Record<string, number>>(
  text: string | undefined | null,
  known: Known,
  what: string,
): Partial<Known> {
  if (!text) return {}
  const given = JSON.parse(text) as unknown
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Error(`${what}s must be a JSON object`)
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) throw new Error(`unknown ${what}: ${name}`)
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw new Error(`${what} ${name} must be a non-negative number`)
  }
  return given as Partial<Known>
}

/** The limits of this deployment. Parsed once per text, because every call needs them. */
export function limitsFrom({ LIMITS = '' }: { LIMITS?: string }): Limits {
  if (parsed?.text !== LIMITS) parsed = { text: LIMITS, limits: withLimits(parseLimits(LIMITS)) }
  return parsed.limits
}
let parsed: { text: string; limits: Limits } | undefined

/** The default limits with these overrides; later ones win. */
export const withLimits = (...overrides: Partial<Limits>[]): Limits => Object.assign({}, defaultLimits, ...overrides)

/** A token bucket: `tokens` were left at `at` (ms) and refill at a steady rate up to the burst. */
export type Bucket = { tokens: number; at: number }
export type Rate = { perSecond: number; burst: number }

type Taken = { ok: true; bucket: Bucket } | { ok: false /** ms until that many are available */; waitMs: number }

/** The bucket at `now`. A clock that went back refills nothing. */
export function refill(bucket: Bucket | null, { perSecond, burst }: Rate, now: number): Bucket {
  if (bucket === null) return { tokens: burst, at: now }
  const elapsedMs = Math.max(0, now - bucket.at)
  return { tokens: Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1000), at: Math.max(bucket.at, now) }
}

/** Takes `count` tokens, or none if there are fewer. A null bucket has never been used and is full. */
export function takeTokens(bucket: Bucket | null, rate: Rate, now: number, count = 1): Taken {
  const { tokens, at } = refill(bucket, rate, now)
  if (tokens >= count) return { ok: true, bucket: { tokens: tokens - count, at } }
  const missing = count - tokens
  return {
    ok: false,
    waitMs: rate.perSecond === 0 ? Number.POSITIVE_INFINITY : at - now + (missing * 1000) / rate.perSecond,
  }
}
