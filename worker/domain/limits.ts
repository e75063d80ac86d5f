/**
 * How much work one account may cause. The figures are settings (`LIMITS`, JSON of the fields that differ); an operator
 * may raise or lower them for one user. Rates and shares keep a free account from delaying others or from making the
 * operator pay; budgets are decided elsewhere and are not among them.
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
  /** Look-ups on the network that a call may cause before it is decided. */
  agentLookupsPerSecond: 5,
  agentLookupBurst: 50,

  /** Of a wallet's 64 payments in flight: kept for its owner, and at most for one agent. */
  ownerSlots: 16,
  agentInFlight: 24,
  agentQueued: 200,
  /** Questions to the owner by one agent per day: answered ones count as well. */
  agentApprovalsPerDay: 100,

  /** Gas units per UTC day: of a new account, and after it has doubled on good days. */
  gasPerDay: 20_000_000,
  maxGasPerDay: 200_000_000,
  /** Percent of it for one agent at most, and kept for the owner. */
  agentGasPercent: 40,
  ownerGasPercent: 20,
  /** For reclaims and owner exits, beside the allowance. */
  exitGasPerDay: 20_000_000,
  /** Of the gas of failed payments this much is returned a day. Beyond it they count, so that failing has an end. */
  gasReturnedPerDay: 40_000_000,

  /** Gas units per UTC day that one Relayer grants to all new accounts together, in steps of the second figure. */
  newAccountsGasPerDay: 1_000_000_000,
  newAccountGasGrant: 1_000_000,

  /** An account is new until its first wallet is this old and this many of its payments were confirmed. */
  establishedAfterHours: 24,
  establishedAfterPayments: 10,

  /** Messages to recipients per UTC day, by all principals of a sender; one agent may cause this percent of them. */
  emailsPerDay: 200,
  smsPerDay: 20,
  agentMessagePercent: 50,
  /** To one recipient: from one sender, and from all new accounts together. */
  messagesPerRecipient: 5,
  newAccountMessagesPerRecipient: 5,

  /** Wrong confirmation and reset codes of one account in 31 days. Beyond them only the mailed link works. */
  wrongCodesPerMonth: 8,
  /**
   * Passwords checked per account and UTC day; the second figure is how many of them only addresses may use that the
   * account was signed in to from, so that strangers cannot use up the owner's.
   */
  passwordsPerDay: 100,
  passwordsKeptForKnownAddresses: 20,

  /** Public calls about payouts from one network address: of claim pages, and with or for a code. */
  claimReadsPerMinute: 600,
  claimTriesPerMinute: 120,
  /** Wrong codes of one payout, as long as its sender renews none: 20 per code, and each further code a day later. */
  claimTriesPerPayout: 60,

  /** Refusals that are recorded; those beyond are returned all the same. */
  refusalsPerMinute: 60,
  refusalsPerDay: 2_000,
}
export type Limits = typeof defaultLimits

/** Those that are counted for one account alone, so that an operator can set them for it. */
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
  'agentApprovalsPerDay',
  'gasPerDay',
  'maxGasPerDay',
  'agentGasPercent',
  'ownerGasPercent',
  'exitGasPerDay',
  'gasReturnedPerDay',
  'emailsPerDay',
  'smsPerDay',
  'agentMessagePercent',
  'messagesPerRecipient',
  'refusalsPerMinute',
  'refusalsPerDay',
] as const satisfies readonly (keyof Limits)[]

/** Throws for text that is not a JSON object of known limits with non-negative numbers: a typo must not lift a limit. */
export const parseLimits = (text: string | undefined | null): Partial<Limits> =>
  parseNumbers(text, defaultLimits, 'limit')

/** Reads a setting of this form; `what` names one of its fields in errors. */
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
      throw new Error(`${what} ${name} must be a number of 0 or more`)
  }
  return given as Partial<Known>
}

/** The limits of this deployment. */
export const limitsFrom = (settings: { LIMITS?: string }): Limits => withLimits(parseLimits(settings.LIMITS))

/** Later ones win. */
export const withLimits = (...overrides: Partial<Limits>[]): Limits => Object.assign({}, defaultLimits, ...overrides)
