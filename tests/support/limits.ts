import { defaultLimits, type Limits } from '../../worker/domain/limits.ts'

const { refusalsPerMinute, refusalsPerDay, wrongCodesPerMonth, passwordsPerDay, passwordsKeptForKnownAddresses } =
  defaultLimits
const { claimReadsPerMinute, claimTriesPerMinute, claimTriesPerPayout } = defaultLimits
const kept = {
  refusalsPerMinute,
  refusalsPerDay,
  wrongCodesPerMonth,
  passwordsPerDay,
  passwordsKeptForKnownAddresses,
  claimReadsPerMinute,
  claimTriesPerMinute,
  claimTriesPerPayout,
}

/** Lifts limits of payments, gas and messages, for tests of other things. Codes, passwords, claims and refusals keep theirs. */
export const noLimits: Limits = {
  ...(Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, 1e12])) as Limits),
  userSearchCost: 1,
  ownerSlots: 0,
  agentGasPercent: 100,
  ownerGasPercent: 0,
  agentMessagePercent: 100,
  establishedAfterHours: 0,
  establishedAfterPayments: 0,
  establishedAfterUsdc: 0,
  goodDayUsdc: 0,
  newAccountsDeployGasPerDay: 0,
  ...kept,
}
