/** Valid values of any rule, for property tests. */
import fc from 'fast-check'
import { microUsdc } from '#domain/money.ts'
import type { Input } from '#domain/rules/inputs.ts'
import { isSingle, type Rule } from '#domain/rules/rule.ts'
import { anyRules } from '#domain/rules/values.ts'

/** `mostAmount` in micro-USDC. */
function inputValue(input: Input, mostAmount: bigint): fc.Arbitrary<unknown> {
  const amount = fc.bigInt({ min: 1n, max: mostAmount }).map(microUsdc)
  switch (input.kind) {
    case 'amount':
      return amount
    case 'whole':
      return fc.integer({ min: Math.max(1, input.least), max: input.most })
    case 'list':
      return fc.constant([input.normal(input.example)!])
    case 'hosts':
      return fc.uniqueArray(
        fc.record({
          pattern: fc.constantFrom('api.example.com', '*.example.com', 'localhost:4021'),
          maxAmount: fc.option(amount),
        }),
        { selector: ({ pattern }) => pattern, minLength: 1 },
      )
    case 'switch':
      return fc.constant(true)
    case 'choice':
      return fc.constantFrom(...Object.keys(input.options))
    case 'days':
      return fc.subarray(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], { minLength: 1 })
    case 'time':
      return fc
        .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }))
        .map(([hour, minute]) => [hour, minute].map((n) => String(n).padStart(2, '0')).join(':'))
    case 'zone':
      return fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe')
  }
}

/** A valid value of the rule. */
const ruleValue = (rule: Rule, mostAmount: bigint): fc.Arbitrary<unknown> =>
  (isSingle(rule.inputs)
    ? inputValue(rule.inputs, mostAmount)
    : fc.record(
        Object.fromEntries(Object.entries(rule.inputs).map(([name, input]) => [name, inputValue(input, mostAmount)])),
      )
  ).filter((value) => !rule.problem?.(value as never))

/** A value or null for each rule, by field; null `offs` times as often. */
export const anyRuleValues = ({ mostAmount = 10n ** 12n, offs = 1 } = {}) =>
  fc.record(
    Object.fromEntries(
      anyRules.map((rule) => [
        rule.field,
        fc.oneof({ weight: 1, arbitrary: ruleValue(rule, mostAmount) }, { weight: offs, arbitrary: fc.constant(null) }),
      ]),
    ),
  )
