import type { Path } from 'react-hook-form'
import { groupName } from '#domain/nameRules.ts'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import type { Rule } from '#domain/rules/rule.ts'
import { anyRules, inputsOf, type RuleField } from '#domain/rules/values.ts'
import { scopeFor, type VisibleScope, visibleScopes } from '#domain/scopes.ts'
import { dollars, fieldText, microOf, typedDecimal, typedMicro, typedProblem } from '#web/lib/amounts.ts'
import type { createGroup, PolicyGroup, WholeGroup } from '#web/queries/agents.ts'
import { noRules, ruleProblems, type TypedRules, typedRulesOf, wireRulesOf } from './ruleForm.ts'

/** Values of a policy group's form, as typed. */
export type GroupValues = {
  name: string
  budget: string
  walletId: string
  scopes: VisibleScope[]
  contactIds: string[]
  rules: TypedRules
}

/** Field names for use in sentences. */
const fieldNames: Record<Exclude<keyof GroupValues, 'rules'>, string> = {
  name: 'name',
  budget: 'budget limit',
  walletId: 'wallet',
  scopes: 'permissions',
  contactIds: 'whitelisted contacts',
}

/** The form's field for one of the API; 'hours.zone' is an input of a rule, 'hosts.0.pattern' one of an entry. */
export function groupField(apiField: string): Path<GroupValues> {
  const [named = '', part = '', ...rest] = apiField.split('.')
  const rule = anyRules.find(({ field }) => field === named)
  if (!rule) return ({ spendLimit: 'budget', whitelistedContactIds: 'contactIds' }[named] ?? named) as Path<GroupValues>
  const inputs = inputsOf(rule)
  const [first, input] = inputs[0]!
  const own = inputs.some(([name]) => name === part) ? part : first
  const entry = input.kind === 'hosts' && part !== '' ? ['', part, ...rest].join('.') : ''
  return `rules.${named}.${own}${entry}` as Path<GroupValues>
}

export const contactScope = scopeFor.contact

export const noGroup: GroupValues = {
  name: '',
  budget: '',
  walletId: '',
  scopes: [],
  contactIds: [],
  rules: noRules,
}

export const valuesOf = (group: WholeGroup): GroupValues => ({
  name: group.name,
  budget: fieldText(group.spendLimitUsdc),
  walletId: group.walletId,
  scopes: visibleScopes.filter((scope) => group.scopes.includes(scope)),
  contactIds: group.contactIds,
  rules: typedRulesOf(group),
})

/** Problems in the order of the fields. */
export const groupProblems = (values: GroupValues) => ({
  name: problemIn(readText(groupName, values.name)),
  budget: budgetProblem(values.budget),
  walletId: values.walletId ? null : 'Please select a wallet',
  ...ruleProblems(values.rules),
})

/** A group that the API created without a budget limit may stay without one. */
export const editProblems = (values: GroupValues, group: PolicyGroup) => ({
  ...groupProblems(values),
  budget: group.spendLimitUsdc === null && !values.budget.trim() ? null : budgetProblem(values.budget, group),
})

function budgetProblem(text: string, group?: PolicyGroup): string | null {
  if (!text.trim()) return 'Budget limit is required'
  const problem = typedProblem(text, 'Budget limit must be greater than 0')
  if (problem) return problem
  const limit = typedMicro(text)!
  const used = group ? microOf(group.currentSpent) + microOf(group.held) : 0n
  return limit < used ? `Budget limit must be at least ${dollars(used)}, which is already spent or held` : null
}

type RuleInputs = Pick<Parameters<typeof createGroup>[0], RuleField>

/** The body of POST. */
export const groupInput = (values: GroupValues) => ({ ...otherInput(values), spendLimit: typedDecimal(values.budget) })

/** The body of PUT, in which the limit may be missing. */
export const editInput = (values: GroupValues, { version }: PolicyGroup) => ({
  ...otherInput(values),
  ...(values.budget.trim() ? { spendLimit: typedDecimal(values.budget) } : {}),
  version,
})

const otherInput = (values: GroupValues) => ({
  name: values.name.trim(),
  scopes: values.scopes,
  walletId: values.walletId,
  whitelistedContactIds: values.scopes.includes(contactScope) ? values.contactIds : [],
  ...(wireRulesOf(values.rules) as RuleInputs),
})

const keys = Object.keys(fieldNames) as (keyof typeof fieldNames)[]
/** Lists are compared as sets. */
const sameValue = (a: unknown, b: unknown) =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && new Set([...a, ...b].map((entry) => JSON.stringify(entry))).size === a.length
    : String(a).trim() === String(b).trim()
const sameRule = (rule: Rule, a: TypedRules, b: TypedRules) => {
  const [one, other] = [a[rule.field as RuleField], b[rule.field as RuleField]]
  if (one === null || other === null) return one === other
  return inputsOf(rule).every(([name]) => sameValue(one[name], other[name]))
}

/** Names of the fields that differ, for use in a sentence. */
export const changesOf = (from: GroupValues, to: GroupValues): string[] => [
  ...keys.filter((key) => !sameValue(from[key], to[key])).map((key) => fieldNames[key]),
  ...anyRules
    .filter((rule) => !sameRule(rule, from.rules, to.rules))
    .map(({ title }) => title[0]!.toLowerCase() + title.slice(1)),
]

/** Fields changed in `mine` keep that value; the others take the value of `theirs`. A rule is one field. */
export function merge(base: GroupValues, mine: GroupValues, theirs: GroupValues): GroupValues {
  const fields = keys.map((key) => [key, sameValue(base[key], mine[key]) ? theirs[key] : mine[key]])
  const rules = anyRules.map((rule) => {
    const from = sameRule(rule, base.rules, mine.rules) ? theirs : mine
    return [rule.field, from.rules[rule.field as RuleField]]
  })
  return { ...Object.fromEntries(fields), rules: Object.fromEntries(rules) } as GroupValues
}
