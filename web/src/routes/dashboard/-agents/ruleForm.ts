import { asciiDigits } from '#domain/readers/digits.ts'
import { normalHostPattern, repeatedHost } from '#domain/rules/hostPatterns.ts'
import { type Input, maxHosts } from '#domain/rules/inputs.ts'
import { isSingle, type Rule } from '#domain/rules/rule.ts'
import { isTimeZone } from '#domain/rules/timeZone.ts'
import { anyRules, inputsOf, type RuleField, type RuleValues, rulesFromWire } from '#domain/rules/values.ts'
import { fieldText, typedDecimal, typedProblem } from '#web/lib/amounts.ts'

/** Rules as they are typed. */

/** Amounts and numbers are text, lists are text separated by commas, spaces or lines. */
export type TypedHost = { pattern: string; maxAmount: string }
export type Typed = string | boolean | string[] | TypedHost[]
/** By field: the inputs of a rule that is on, by name. Null if it is off. */
export type TypedRules = { [Field in RuleField]: Record<string, Typed> | null }

export const noRules = Object.fromEntries(anyRules.map(({ field }) => [field, null])) as TypedRules

/** Rules as the API shows them. */
export const typedRulesOf = (wire: Readonly<Record<string, unknown>>): TypedRules => {
  const values = rulesFromWire(wire)
  return Object.fromEntries(
    anyRules.map((rule) => {
      const isOff = values[rule.field as RuleField] === rule.off
      return [
        rule.field,
        isOff ? null : typedOf(rule, isSingle(rule.inputs) ? { [rule.field]: wire[rule.field] } : wire[rule.field]),
      ]
    }),
  ) as TypedRules
}

/** What is shown when a rule is added. */
export function proposedOf(rule: Rule): Record<string, Typed> {
  const proposed = isSingle(rule.inputs) ? { [rule.field]: rule.proposed } : rule.proposed
  return typedOf(rule, proposed)
}

function typedOf(rule: Rule, wire: unknown): Record<string, Typed> {
  const shown = (wire ?? {}) as Record<string, unknown>
  return Object.fromEntries(inputsOf(rule).map(([name, input]) => [name, typedInput(input, shown[name])]))
}

function typedInput({ kind }: Input, value: unknown): Typed {
  if (kind === 'switch') return value === true
  if (kind === 'days') return (value as string[] | undefined) ?? []
  if (kind === 'list') return ((value as string[] | null | undefined) ?? []).join(', ')
  if (kind === 'hosts')
    return ((value as { pattern: string; maxAmount: string | null }[] | null | undefined) ?? []).map(
      ({ pattern, maxAmount }) => ({ pattern, maxAmount: fieldText(maxAmount) }),
    )
  if (kind === 'zone') return (value as string | undefined) ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  if (kind === 'amount') return fieldText(value === undefined || value === null ? null : String(value))
  return value === undefined || value === null ? '' : String(value)
}

/** NaN if the text is not a whole number of at most six digits. */
const typedWhole = (text: string) => Number(/^\d{1,6}$/.exec(asciiDigits(text).trim())?.[0])

export const entriesOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

function wireInput(input: Input, typed: Typed): unknown {
  if (input.kind === 'amount') return typedDecimal(typed as string)
  if (input.kind === 'whole') return typedWhole(typed as string)
  if (input.kind === 'list') return entriesOf(typed as string)
  if (input.kind === 'hosts')
    return (typed as TypedHost[]).map(({ pattern, maxAmount }) => ({
      pattern: normalHostPattern(pattern) ?? pattern,
      maxAmount: maxAmount.trim() === '' ? null : typedDecimal(maxAmount),
    }))
  return typed
}

/** The fields of a request. */
export const wireRulesOf = (typed: TypedRules): Record<RuleField, unknown> =>
  Object.fromEntries(
    anyRules.map((rule) => {
      const inputs = typed[rule.field as RuleField]
      if (inputs === null) return [rule.field, rule.off]
      const wire = Object.fromEntries(inputsOf(rule).map(([name, input]) => [name, wireInput(input, inputs[name]!)]))
      return [rule.field, isSingle(rule.inputs) ? wire[rule.field] : wire]
    }),
  ) as Record<RuleField, unknown>

/** Null while an input is not valid. */
export const ruleValuesOf = (typed: TypedRules): RuleValues | null =>
  Object.keys(ruleProblems(typed)).length > 0 ? null : rulesFromWire(wireRulesOf(typed))

/** The problems of the rules that are on, by path: 'rules.periodBudget.limit'. */
export function ruleProblems(typed: TypedRules): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const rule of anyRules) {
    const inputs = typed[rule.field as RuleField]
    if (inputs === null) continue
    const report = (name: string, problem: string | null) => {
      if (problem !== null) problems[`rules.${rule.field}.${name}`] = problem
    }
    for (const [name, input] of inputsOf(rule)) {
      const value = inputs[name]!
      if (input.kind !== 'hosts') report(name, problemOf(input, value))
      else for (const [path, problem] of hostProblems(value as TypedHost[])) report(`${name}.${path}`, problem)
    }
    const found = rule.problem?.(inputs as never)
    if (found) report(found.input, found.message)
  }
  return problems
}

/** By the path of the input. Without entries, the whole list has the problem. */
function hostProblems(typed: TypedHost[]): [path: string, problem: string][] {
  if (typed.length === 0) return [['root', 'Please enter at least one host']]
  if (typed.length > maxHosts) return [['root', `Please enter at most ${maxHosts} hosts`]]
  const again = repeatedHost(typed.map(({ pattern }) => ({ pattern: normalHostPattern(pattern) ?? '' })))
  return typed.flatMap(({ pattern, maxAmount }, i): [string, string][] => {
    const problems: [string, string][] = []
    if (pattern.trim() === '') problems.push([`${i}.pattern`, 'Please enter a host'])
    else if (normalHostPattern(pattern) === null)
      problems.push([`${i}.pattern`, `“${pattern}” is not a valid host; write it as api.example.com or *.example.com`])
    else if (again === i) problems.push([`${i}.pattern`, 'This host is listed twice'])
    const wrongAmount =
      maxAmount.trim() !== '' &&
      typedProblem(maxAmount, 'Please enter a valid amount greater than 0, or leave it empty')
    if (wrongAmount) problems.push([`${i}.maxAmount`, wrongAmount])
    return problems
  })
}

function problemOf(input: Exclude<Input, { kind: 'hosts' }>, typed: Typed): string | null {
  switch (input.kind) {
    case 'amount': {
      const { zero = false } = input
      const otherwise = zero ? 'Please enter a valid amount' : 'Please enter a valid amount greater than 0'
      return typedProblem(typed as string, otherwise, { zero })
    }
    case 'whole': {
      const value = typedWhole(typed as string)
      if (value >= input.least && value <= input.most) return null
      return `Please enter ${input.least} to ${input.most.toLocaleString('en-US')} ${input.unit}`
    }
    case 'list': {
      const entries = entriesOf(typed as string)
      const wrong = entries.find((entry) => input.normal(entry) === null)
      if (wrong !== undefined) return `“${wrong}” is not a valid ${input.what}; write it as ${input.example}`
      return entries.length === 0 ? `Please enter at least one ${input.what}` : null
    }
    case 'days':
      return (typed as string[]).length === 0 ? 'Please choose at least one day' : null
    case 'time':
      return typed === '' ? 'Please enter a time' : null
    case 'zone':
      return isTimeZone(typed as string) ? null : 'Please enter a time zone such as Europe/Berlin or UTC'
    case 'switch':
    case 'choice':
      return null
  }
}
