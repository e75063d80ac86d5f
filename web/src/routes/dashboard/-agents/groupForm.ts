import { formatUsdc, parseUsdc } from '../../../../../worker/domain/money.ts'
import type { Period } from '../../../../../worker/domain/policyPeriod.ts'
import { normalCallingCode, normalDomain } from '../../../../../worker/domain/policyRecipient.ts'
import { visibleScopes } from '../../../../../worker/domain/scopes.ts'
import { formatAmount } from '../../../lib/format.ts'
import { plainAmount } from '../../../lib/problems.ts'
import type { PolicyGroup } from '../../../queries/agents.ts'

/** What the forms of a policy group hold: text as typed. */
export type GroupValues = {
  name: string
  budget: string
  walletId: string
  scopes: string[]
  contactIds: string[]
  maxPayment: string
  period: Period
  periodLimit: string
  maxUnclaimed: string
  /** Separated by commas, spaces or lines. */
  emailDomains: string
  phoneCodes: string
}

/** What people call the fields. */
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
}
export const limitFields = ['maxPayment', 'periodLimit', 'maxUnclaimed', 'emailDomains', 'phoneCodes'] as const

/** The form's names for the server's fields. */
export const groupFields = {
  spendLimit: 'budget',
  whitelistedContactIds: 'contactIds',
  periodBudget: 'periodLimit',
} as const

export const contactScope = 'contact_payments:write'

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
})

/** Part 2 section 5: name, budget, wallet, in this order. */
export const groupProblems = (values: GroupValues) => ({
  name: values.name.trim() ? null : 'Policy name is required',
  budget: budgetProblem(values.budget),
  walletId: values.walletId ? null : 'Please select a wallet',
  maxPayment: limitProblem(values.maxPayment),
  periodLimit: limitProblem(values.periodLimit),
  maxUnclaimed: limitProblem(values.maxUnclaimed),
  emailDomains: listProblem(values.emailDomains, normalDomain, 'is no email domain; write it as example.com'),
  phoneCodes: listProblem(values.phoneCodes, normalCallingCode, 'is no country code; write it as +49'),
})

/** Limits may be left out. */
function limitProblem(text: string): string | null {
  if (!text.trim() || parseUsdc(plainAmount(text))) return null
  return 'Please enter a valid amount greater than 0'
}

function listProblem(text: string, normal: (entry: string) => string | null, what: string): string | null {
  const wrong = entriesOf(text).find((entry) => normal(entry) === null)
  return wrong === undefined ? null : `“${wrong}” ${what}`
}

const entriesOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

/** A group may have been made without a limit, by the API. */
export const editProblems = (values: GroupValues, group: PolicyGroup) => ({
  ...groupProblems(values),
  budget: group.spendLimitUsdc === null && !values.budget.trim() ? null : budgetProblem(values.budget, group),
})

function budgetProblem(text: string, group?: PolicyGroup): string | null {
  if (!text.trim()) return 'Budget limit is required'
  const limit = parseUsdc(plainAmount(text))
  if (!limit) return 'Budget limit must be greater than 0'
  const used = group ? (parseUsdc(group.currentSpent) ?? 0n) + (parseUsdc(group.held) ?? 0n) : 0n
  return limit < used
    ? `Budget limit must be at least $${formatAmount(formatUsdc(used))}, which is spent or held already`
    : null
}

/** What POST and PUT share. */
export const groupInput = (values: GroupValues) => ({
  name: values.name.trim(),
  spendLimit: decimal(values.budget),
  scopes: values.scopes,
  walletId: values.walletId,
  whitelistedContactIds: values.scopes.includes(contactScope) ? values.contactIds : [],
  maxPayment: values.maxPayment.trim() ? decimal(values.maxPayment) : null,
  periodBudget: values.periodLimit.trim() ? { period: values.period, limit: decimal(values.periodLimit) } : null,
  maxUnclaimed: values.maxUnclaimed.trim() ? decimal(values.maxUnclaimed) : null,
  emailDomains: entriesOf(values.emailDomains).length > 0 ? entriesOf(values.emailDomains) : null,
  phoneCodes: entriesOf(values.phoneCodes).length > 0 ? entriesOf(values.phoneCodes) : null,
})

export function editInput(values: GroupValues, { version }: PolicyGroup) {
  const { spendLimit, ...input } = groupInput(values)
  return { ...input, ...(values.budget.trim() ? { spendLimit } : {}), version }
}

/** '25.' → '25': text that passed its check, as the API takes it. */
const decimal = (text: string) => formatUsdc(parseUsdc(plainAmount(text)) ?? 0n)

const keys = Object.keys(fieldNames) as (keyof GroupValues)[]
/** Lists are sets: their order says nothing. */
const sameValue = (a: string | string[], b: string | string[]) =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && new Set([...a, ...b]).size === a.length
    : String(a).trim() === String(b).trim()

/** Names of the fields in which two states of a group differ. */
export const changesOf = (from: GroupValues, to: GroupValues): string[] =>
  keys.filter((key) => !sameValue(from[key], to[key])).map((key) => fieldNames[key])

/** What was touched here stays; the rest takes their values. */
export const merge = (base: GroupValues, mine: GroupValues, theirs: GroupValues): GroupValues =>
  Object.fromEntries(keys.map((key) => [key, sameValue(base[key], mine[key]) ? theirs[key] : mine[key]])) as GroupValues
