import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import type { PaymentFacts, Rule, Verdict, Words } from '#domain/rules/rule.ts'
import {
  anyRules,
  editRules,
  isLooser,
  noRules,
  parseRules,
  type RuleValues,
  rulesFromWire,
  rulesInWords,
  verdictsOf,
  windowsIn,
  wireRules,
} from '#domain/rules/values.ts'
import { ruleFields } from '#schemas/rules.ts'
import { anyRuleValues } from '../../support/anyRules.ts'

const values = anyRuleValues().map(
  (made) =>
    ({ ...noRules, ...Object.fromEntries(Object.entries(made).filter(([, value]) => value !== null)) }) as RuleValues,
)

const say: Words = { money: (amount) => `$${amount}`, moment: (at) => new Date(at).toISOString() }

const used = fc
  .record(Object.fromEntries(anyRules.map(({ field }) => [field, fc.bigInt({ min: 0n, max: 10n ** 12n })])))
  .map((sums) =>
    Object.fromEntries(Object.entries(sums).map(([field, sum]) => [field, { used: sum, startsAt: 0, resetsAt: 1e12 }])),
  )
const facts: fc.Arbitrary<PaymentFacts> = fc.record({
  at: fc.integer({ min: 1.7e12, max: 1.9e12 }),
  isPayout: fc.boolean(),
  amount: fc.constant(null),
  unclaimed: fc.bigInt({ min: 0n, max: 10n ** 12n }).map(microUsdc),
  recipient: fc.record({
    type: fc.constant('address' as const),
    address: fc.constant(null),
    email: fc.constant(null),
    phone: fc.constant(null),
    seller: fc.option(
      fc.record({
        host: fc.constantFrom('api.example.com', 'other.example.com', 'localhost:4021', 'other.org'),
        isConfirmed: fc.boolean().map((is) => () => is),
      }),
    ),
    isNew: fc.boolean().map((is) => () => is),
    isDuplicate: fc.boolean().map((is) => () => is),
  }),
})

test('the order of rules never changes whether a payment is allowed, refused or asked about @rules-26', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 12n })
  fc.assert(
    fc.property(values, facts, used, amount, (made, payment, counted, wanted) => {
      const says = (of: RuleValues, outcome: Verdict['outcome'], names?: Rule['names']) =>
        verdictsOf(of, payment, counted).some(
          ({ outcome: own, above, rule }) =>
            own === outcome && (above === null || wanted > above) && (!names || rule in names),
        )
      for (const outcome of ['refuse', 'ask'] as const) {
        // Each rule alone says the same as among all others, so no order can matter. (Some judge when they are off, too.)
        const alone = anyRules.map(({ field, names }) =>
          says({ ...noRules, [field]: made[field as keyof RuleValues] } as RuleValues, outcome, names),
        )
        expect(says(made, outcome)).toBe(alone.includes(true))
      }
    }),
  )
})

describe('every rule', () => {
  test('has its own field, names and title @rules-5', () => {
    for (const of of [
      (rule: Rule) => [rule.field],
      (rule: Rule) => Object.keys(rule.names),
      (rule: Rule) => [rule.title],
    ]) {
      const all = anyRules.flatMap(of)
      expect(new Set(all).size).toBe(all.length)
    }
  })

  test('that counts for the whole group compares it with an input named limit or count @rules-35', () => {
    fc.assert(
      fc.property(values, (made) => {
        for (const { rule, window } of windowsIn(made))
          if (!window.perRecipient)
            expect(Object.keys(rule.inputs), rule.field).toContain(rule.counts ? 'count' : 'limit')
      }),
    )
  })

  test('keeps its value in storage, in replies and in requests @rules-6', () => {
    fc.assert(
      fc.property(values, (made) => {
        const stored = editRules('{}', made)
        expect(parseRules(stored)).toEqual({ values: made, unknown: null })
        const on = anyRules.filter(({ field, off }) => made[field as keyof RuleValues] !== off)
        expect(Object.keys(JSON.parse(stored))).toEqual(on.map(({ field }) => field))
        const wire = wireRules(made)
        expect(rulesFromWire({ ...wire, other: 1 })).toEqual(made)
        for (const { field } of anyRules) {
          const schema = ruleFields[field as keyof typeof ruleFields]
          expect(schema.parse(wire[field as keyof typeof wire]), field).toEqual(made[field as keyof RuleValues])
        }
      }),
    )
  })

  test('says what it does in a sentence @rules-7', () => {
    fc.assert(
      fc.property(values, (made) => {
        for (const { sentence } of rulesInWords(made, say)) {
          expect(sentence).toMatch(/^[A-Z].*\.$/)
          expect(sentence).not.toMatch(/undefined|null|NaN|\[object/)
        }
      }),
    )
  })

  test('that is taken away lets agents pay more; one that is added does not @rules-8', () => {
    fc.assert(
      fc.property(values, fc.nat(), (made, which) => {
        const rule = anyRules[which % anyRules.length]!
        if (rule.names && Object.keys(rule.names).length === 0) return
        const without = { ...made, [rule.field]: rule.off } as RuleValues
        const isOn = made[rule.field as keyof RuleValues] !== rule.off
        expect(isLooser(made, without)).toBe(isOn)
        expect(isLooser(without, made)).toBe(false)
        expect(isLooser(made, made)).toBe(false)
      }),
    )
  })
})

test.each([
  '{"maxSpeed":1}',
  '{"maxPayment":5}',
  '{"maxPayment":"-1"}',
  '{"periodBudget":{"period":"year","limit":"1"}}',
])('the stored rule %s is not known @rules-9', (json) =>
  expect(parseRules(json)).toEqual({ values: noRules, unknown: Object.keys(JSON.parse(json))[0] }),
)
