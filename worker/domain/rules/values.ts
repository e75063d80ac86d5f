import { type MicroUsdc, zeroUsdc } from '../money.ts'
import { orOwner } from '../refusal.ts'
import type { Input } from './inputs.ts'
import { isLooserInput, readInput, storedInput } from './inputs.ts'
import { rules } from './list.ts'
import { isSingle, type PaymentFacts, type Rule, type ValueOf, type Verdict, type Words } from './rule.ts'
import type { Used, Window } from './windows.ts'

/** A group's rules: reading and writing them, and what they say about a payment. */

type Rules = (typeof rules)[number]
export type RuleField = Rules['field']
type Of<Field extends RuleField> = Extract<Rules, { field: Field }>
/** The value of each rule; `off` if the group does not use it. */
export type RuleValues = { [Field in RuleField]: ValueOf<Of<Field>['inputs']> | Of<Field>['off'] }
/** Absent: unchanged, or off for a new group. Null: removed, for rules that are off with null. */
export type RuleEdits = { [Field in RuleField]?: RuleValues[Field] | undefined }

/** JSON of a value: money is decimal text. */
type Wire<Value> = Value extends bigint
  ? string
  : Value extends boolean | string | number | null
    ? Value
    : Value extends readonly (infer Entry)[]
      ? Wire<Entry>[]
      : { [Name in keyof Value]: Wire<Value[Name]> }
export type WireRules = { [Field in RuleField]: Wire<RuleValues[Field]> }

/** The rules without the types of their values, for code that treats all of them alike. */
export const anyRules: readonly Rule[] = rules as unknown as readonly Rule[]
const byField = new Map(anyRules.map((rule) => [rule.field, rule]))
const byName = new Map(anyRules.flatMap((rule) => Object.keys(rule.names).map((name) => [name, rule] as const)))
/** Names of the rules that may ask the owner. */
export const askingNames = anyRules
  .filter(({ section, inputs, off }) => section === 'approvals' || 'whenExceeded' in inputs || off === 'ask')
  .flatMap(({ names }) => Object.keys(names))

/** The rule that has this name in refusals and approvals. */
export const ruleNamed = (name: string): Rule | null => byName.get(name) ?? null

export const noRules = Object.fromEntries(anyRules.map(({ field, off }) => [field, off])) as RuleValues

/** Whether it says anything about payments: those that are off may, too. */
const isJudging = (rule: Rule, values: RuleValues) => rule.appliesWhenOff !== undefined || isOn(rule, values)
const isOn = ({ off, field }: Rule, values: RuleValues) => values[field as RuleField] !== off
/** Inputs by name; the only one of a rule has the name of its field. */
export const inputsOf = ({ inputs, field }: Rule): [name: string, input: Input][] =>
  isSingle(inputs) ? [[field, inputs]] : Object.entries(inputs)

/** All rules as replies and the audit log show them. */
export const wireRules = (values: RuleValues): WireRules =>
  Object.fromEntries(anyRules.map(({ field }) => [field, storedInput(values[field as RuleField])])) as WireRules

/** `unknown`: a rule that this code does not know, or whose value is not valid, so that nothing may be paid. */
export type StoredRules = { values: RuleValues; unknown: string | null }

function readRules(json: string): StoredRules {
  const values: Record<string, unknown> = { ...noRules }
  let unknown: string | null = null
  for (const [field, stored] of Object.entries(JSON.parse(json) as Record<string, unknown>)) {
    const rule = byField.get(field)
    const value = rule && readValue(rule, stored)
    if (value === undefined) unknown = field
    else values[field] = value
  }
  return { values: values as RuleValues, unknown }
}

/**
 * The JSON with these rules changed: absent edits leave a rule as it is; null, and what is off, removes it. A rule that is not
 * known stays, and with it the refusal of all payments: what it forbids is not known either.
 */
export function editRules(json: string, edits: RuleEdits): string {
  const stored = JSON.parse(json) as Record<string, unknown>
  const after: Record<string, unknown> = {}
  for (const { field, off } of anyRules) {
    const value = edits[field as RuleField]
    if (value === undefined ? field in stored : value !== null && value !== off)
      after[field] = value === undefined ? stored[field] : storedInput(value)
  }
  for (const field of Object.keys(stored)) if (!byField.has(field)) after[field] = stored[field]
  return JSON.stringify(after)
}

function readValue({ inputs }: Rule, stored: unknown): unknown {
  if (isSingle(inputs)) return readInput(inputs, stored)
  if (stored === null || typeof stored !== 'object') return undefined
  const names = Object.keys(inputs)
  const value = Object.fromEntries(
    names.map((name) => [name, readInput(inputs[name]!, (stored as Record<string, unknown>)[name])]),
  )
  const isWhole = Object.keys(stored).every((name) => names.includes(name))
  return isWhole && Object.values(value).every((part) => part !== undefined) ? value : undefined
}

/** The rules in the fields of a reply, which may have others beside them. What is not valid counts as off. */
export function rulesFromWire(fields: Readonly<Record<string, unknown>>): RuleValues {
  const values: Record<string, unknown> = { ...noRules }
  for (const rule of anyRules) {
    const { inputs, field } = rule
    const shown = fields[field]
    const own =
      isSingle(inputs) || shown === null || typeof shown !== 'object'
        ? shown
        : Object.fromEntries(Object.keys(inputs).map((name) => [name, (shown as Record<string, unknown>)[name]]))
    const value = readValue(rule, own)
    if (value !== undefined) values[field] = value
  }
  return values as RuleValues
}

/** Each version of a group's rules is parsed once. */
const parsed = new Map<string, StoredRules>()
export function parseRules(json: string): StoredRules {
  const known = parsed.get(json)
  if (known) return known
  const values = readRules(json)
  if (parsed.size >= 200) parsed.clear()
  parsed.set(json, values)
  return values
}

/** Whether any rule lets agents pay more than before. */
export const isLooser = (before: RuleValues, after: RuleValues): boolean =>
  anyRules.some((rule) => {
    const [was, is] = [before[rule.field as RuleField] as unknown, after[rule.field as RuleField] as unknown]
    if (was === rule.off) return false
    const inputs = inputsOf(rule)
    if (is === rule.off) return inputs.some(([, input]) => input.looser !== 'never')
    return inputs.some(([name, input]) =>
      isSingle(rule.inputs)
        ? isLooserInput(input, was, is)
        : isLooserInput(input, (was as Record<string, unknown>)[name], (is as Record<string, unknown>)[name]),
    )
  })

/** The rules that are on and count something over time. */
export function windowsIn(values: RuleValues): readonly { rule: Rule; window: Window }[] {
  const known = windows.get(values)
  if (known) return known
  const found = anyRules.flatMap((rule) =>
    rule.window && isOn(rule, values) ? [{ rule, window: rule.window(values[rule.field as RuleField] as never) }] : [],
  )
  windows.set(values, found)
  return found
}
const windows = new WeakMap<RuleValues, readonly { rule: Rule; window: Window }[]>()

/** What a payment adds to the rule's window; zero if it is not counted. */
export const countedAs = ({ counts }: Rule, amount: bigint, facts: () => PaymentFacts): bigint =>
  counts === undefined ? amount : counts === 'all' || counts(facts()) ? 1n : 0n

/** What the rules that are on say about a payment, in their order. `used`: of the rules with windows, by field. */
export function verdictsOf(values: RuleValues, facts: PaymentFacts, used: Readonly<Record<string, Used>>): Verdict[] {
  const verdicts: Verdict[] = []
  for (const rule of anyRules) {
    if (!rule.judge || !isJudging(rule, values)) continue
    const counted = used[rule.field]
    const verdict = counted?.isFull
      ? tooManyRecipients(rule)
      : rule.judge(values[rule.field as RuleField] as never, facts, counted)
    // What a rule says about the recipient alone, recipientVerdict has reported before.
    if (verdict && !(rule.isAboutRecipient && verdict.above === null)) verdicts.push(verdict)
  }
  return verdicts
}

const tooManyRecipients = (rule: Rule): Verdict => ({
  above: null,
  outcome: 'refuse',
  rule: Object.keys(rule.names)[0]!,
  code: 'policy_refused',
  message: 'The policy group has paid too many recipients to count another one.',
  next: orOwner('Pay a recipient whom the group has paid before', 'remove the limit per recipient'),
})

/** The first rule about recipients that refuses this one, whatever the amount. */
export function recipientVerdict(
  values: RuleValues,
  {
    host,
    ...recipient
  }: Pick<NonNullable<PaymentFacts['recipient']>, 'type' | 'address' | 'email' | 'phone'> & { host?: string | null },
): Verdict | null {
  const facts: PaymentFacts = {
    at: 0,
    isPayout: recipient.address === null,
    amount: null,
    unclaimed: zeroUsdc,
    recipient: {
      ...recipient,
      seller: host == null ? null : { host, isConfirmed: () => false },
      isNew: () => false,
      isDuplicate: () => false,
    },
  }
  for (const rule of anyRules) {
    if (!rule.isAboutRecipient || !isJudging(rule, values)) continue
    const verdict = rule.judge?.(values[rule.field as RuleField] as never, facts, undefined)
    if (verdict?.above === null) return verdict
  }
  return null
}

/** What the sentences of a group's rules depend on besides their values. */
type RulesNow = {
  used?: Readonly<Record<string, Used>>
  unclaimed?: MicroUsdc
  scopes?: readonly string[]
}

/** A sentence for each rule that is on, or that judges payments of these scopes when it is off. */
export const rulesInWords = (
  values: RuleValues,
  say: Words,
  { used = {}, unclaimed, scopes = [] }: RulesNow = {},
): { rule: Rule; sentence: string }[] =>
  anyRules.flatMap((rule) => {
    const value = values[rule.field as RuleField]
    const isSaid = isOn(rule, values) || (rule.appliesWhenOff !== undefined && scopes.includes(rule.appliesWhenOff))
    const sentence = isSaid ? rule.words(value as never, say, used[rule.field], unclaimed) : null
    return sentence === null ? [] : [{ rule, sentence }]
  })
