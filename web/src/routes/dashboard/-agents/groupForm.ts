import type { Period } from '#domain/policyPeriod.ts'
import { maxDuplicateMinutes } from '#domain/rules/duplicateMinutes.ts'
import { normalDomain } from '#domain/rules/emailDomains.ts'
import { normalCallingCode } from '#domain/rules/phoneCodes.ts'
import { scopeFor, type VisibleScope, visibleScopes } from '#domain/scopes.ts'
import { dollars, microOf, typedDecimal, typedMicro } from '#web/lib/amounts.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'

/** Values of a policy group's form, as typed. */
export type GroupValues = {
  name: string
  budget: string
  walletId: string
  scopes: VisibleScope[]
  contactIds: string[]
  maxPayment: string
  period: Period
  periodLimit: string
  maxUnclaimed: string
  /** Separated by commas, spaces or lines. */
  emailDomains: string
  phoneCodes: string
  approveAbove: string
  approveNewRecipient: boolean
  /** Whole numbers as typed. */
  approvalTtlHours: string
  duplicateMinutes: string
}

/** Field names for use in sentences. */
const fieldNames: Record<keyof GroupValues, string> = {
  name: 'name',
  budget: 'budget limit',
  walletId: 'wallet',
  scopes: 'permissions',
  contactIds: 'whitelisted contacts',
  maxPayment: 'maximum per payment',
  period: 'period',
  periodLimit: 'budget per period',
  maxUnclaimed: 'unclaimed payouts',
  emailDomains: 'email domains',
  phoneCodes: 'phone country codes',
  approveAbove: 'approval above an amount',
  approveNewRecipient: 'approval of new recipients',
  approvalTtlHours: 'time to answer',
  duplicateMinutes: 'time between repeats',
}
export const limitFields = ['maxPayment', 'periodLimit', 'maxUnclaimed', 'emailDomains', 'phoneCodes'] as const

export const approvalFields = ['approveAbove', 'approvalTtlHours', 'duplicateMinutes'] as const

/** Maps API fields to form fields where the names differ. */
export const groupFields = {
  spendLimit: 'budget',
  whitelistedContactIds: 'contactIds',
  periodBudget: 'periodLimit',
} as const

export const contactScope = scopeFor.contact

export const noGroup: GroupValues = {
  name: '',
  budget: '',
  walletId: '',
  scopes: [],
  contactIds: [],
  maxPayment: '',
  period: 'day',
  periodLimit: '',
  maxUnclaimed: '',
  emailDomains: '',
  phoneCodes: '',
  approveAbove: '',
  approveNewRecipient: false,
  approvalTtlHours: '24',
  duplicateMinutes: '',
}

export const valuesOf = (group: PolicyGroup): GroupValues => ({
  name: group.name,
  budget: group.spendLimitUsdc ?? '',
  walletId: group.walletId,
  scopes: visibleScopes.filter((scope) => group.scopes.includes(scope)),
  contactIds: group.whitelistedContacts.map(({ contact }) => contact.id),
  maxPayment: group.maxPayment ?? '',
  period: group.periodBudget?.period ?? 'day',
  periodLimit: group.periodBudget?.limit ?? '',
  maxUnclaimed: group.maxUnclaimed ?? '',
  emailDomains: group.emailDomains?.join(', ') ?? '',
  phoneCodes: group.phoneCodes?.join(', ') ?? '',
  approveAbove: group.approveAbove ?? '',
  approveNewRecipient: group.approveNewRecipient,
  approvalTtlHours: String(group.approvalTtlHours),
  duplicateMinutes: group.duplicateMinutes === 0 ? '' : String(group.duplicateMinutes),
})

/** Problems in the order of the fields. */
export const groupProblems = (values: GroupValues) => ({
  name: values.name.trim() ? null : 'Policy name is required',
  budget: budgetProblem(values.budget),
  walletId: values.walletId ? null : 'Please select a wallet',
  maxPayment: limitProblem(values.maxPayment),
  periodLimit: limitProblem(values.periodLimit),
  maxUnclaimed: limitProblem(values.maxUnclaimed),
  emailDomains: listProblem(values.emailDomains, normalDomain, 'is not a valid email domain; write it as example.com'),
  phoneCodes: listProblem(values.phoneCodes, normalCallingCode, 'is not a valid country code; write it as +49'),
  approveAbove:
    values.approveAbove.trim() && typedMicro(values.approveAbove) === null ? 'Please enter a valid amount' : null,
  approvalTtlHours: wholeProblem(values.approvalTtlHours, 1, 168, 'hours'),
  duplicateMinutes: values.duplicateMinutes.trim()
    ? wholeProblem(values.duplicateMinutes, 0, maxDuplicateMinutes, 'minutes')
    : null,
})

/** Limits are optional. */
function limitProblem(text: string): string | null {
  if (!text.trim() || typedMicro(text)) return null
  return 'Please enter a valid amount greater than 0'
}

function wholeProblem(text: string, least: number, most: number, unit: string): string | null {
  const value = /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN
  return value >= least && value <= most ? null : `Please enter ${least} to ${most.toLocaleString('en-US')} ${unit}`
}

function listProblem(text: string, normal: (entry: string) => string | null, what: string): string | null {
  const wrong = entriesOf(text).find((entry) => normal(entry) === null)
  return wrong === undefined ? null : `“${wrong}” ${what}`
}

const entriesOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

/** A group that the API created without a budget limit may stay without one. */
export const editProblems = (values: GroupValues, group: PolicyGroup) => ({
  ...groupProblems(values),
  budget: group.spendLimitUsdc === null && !values.budget.trim() ? null : budgetProblem(values.budget, group),
})

function budgetProblem(text: string, group?: PolicyGroup): string | null {
  if (!text.trim()) return 'Budget limit is required'
  const limit = typedMicro(text)
  if (!limit) return 'Budget limit must be greater than 0'
  const used = group ? microOf(group.currentSpent) + microOf(group.held) : 0n
  return limit < used ? `Budget limit must be at least ${dollars(used)}, which is already spent or held` : null
}

/** The body of POST and PUT. */
export const groupInput = (values: GroupValues) => ({
  name: values.name.trim(),
  spendLimit: typedDecimal(values.budget),
  scopes: values.scopes,
  walletId: values.walletId,
  whitelistedContactIds: values.scopes.includes(contactScope) ? values.contactIds : [],
  maxPayment: values.maxPayment.trim() ? typedDecimal(values.maxPayment) : null,
  periodBudget: values.periodLimit.trim() ? { period: values.period, limit: typedDecimal(values.periodLimit) } : null,
  maxUnclaimed: values.maxUnclaimed.trim() ? typedDecimal(values.maxUnclaimed) : null,
  emailDomains: entriesOf(values.emailDomains).length > 0 ? entriesOf(values.emailDomains) : null,
  phoneCodes: entriesOf(values.phoneCodes).length > 0 ? entriesOf(values.phoneCodes) : null,
  approveAbove: values.approveAbove.trim() ? typedDecimal(values.approveAbove) : null,
  approveNewRecipient: values.approveNewRecipient,
  approvalTtlHours: Number(values.approvalTtlHours),
  duplicateMinutes: Number(values.duplicateMinutes),
})

export function editInput(values: GroupValues, { version }: PolicyGroup) {
  const { spendLimit, ...input } = groupInput(values)
  return { ...input, ...(values.budget.trim() ? { spendLimit } : {}), version }
}

const keys = Object.keys(fieldNames) as (keyof GroupValues)[]
/** Lists are compared as sets. */
const sameValue = (a: GroupValues[keyof GroupValues], b: GroupValues[keyof GroupValues]) =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && new Set([...a, ...b]).size === a.length
    : String(a).trim() === String(b).trim()

/** Names of the fields that differ, for use in a sentence. */
export const changesOf = (from: GroupValues, to: GroupValues): string[] =>
  keys.filter((key) => !sameValue(from[key], to[key])).map((key) => fieldNames[key])

/** Fields changed in `mine` keep that value; the others take the value of `theirs`. */
export const merge = (base: GroupValues, mine: GroupValues, theirs: GroupValues): GroupValues =>
  Object.fromEntries(keys.map((key) => [key, sameValue(base[key], mine[key]) ? theirs[key] : mine[key]])) as GroupValues
