import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { type GroupBounds, increaseByEdit, needsPassword, sumOfIncreases } from '#domain/ownerPassword.ts'
import { noRules, type RuleValues } from '#domain/rules/values.ts'

test('without a limit the password is never asked for; above it always, in whatever steps @password-1', () => {
  const amounts = fc.array(fc.bigInt({ min: 0n, max: 5_000_000n }), { maxLength: 30 })
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10_000_000n }), amounts, (limit, steps) => {
      let raised = 0n
      for (const step of steps) {
        expect(needsPassword(null, raised, step)).toBe(false)
        if (!needsPassword(microUsdc(limit), raised, step)) raised += step
      }
      expect(raised).toBeLessThanOrEqual(limit)
    }),
  )
  expect(needsPassword(microUsdc(10n ** 15n), 0n, 'unbounded')).toBe(true)
  expect(needsPassword(null, 0n, 'unbounded')).toBe(false)
  expect(sumOfIncreases([1n, 2n])).toBe(3n)
  expect(sumOfIncreases([1n, 'unbounded'])).toBe('unbounded')
})

test('comparing ten thousand contacts looks at each once @safety-23', () => {
  let looked = 0
  const listOf = (prefix: string) =>
    new Proxy(
      Array.from({ length: 10_000 }, (_, i) => `${prefix}${i}`),
      {
        get(list, name, receiver) {
          looked += 1
          return Reflect.get(list, name, receiver)
        },
      },
    )
  const bounds = (prefix: string): GroupBounds => ({ spendable: 1n, rules: noRules, recipients: [listOf(prefix)] })
  expect(increaseByEdit(bounds('a'), bounds('a'))).toBe(0n)
  expect(looked).toBeLessThan(100_000)
})

describe('an edit of a group', () => {
  const asked = { approveNewRecipient: true, duplicateMinutes: 10 }
  const rules = { ...noRules, ...asked, maxPayment: microUsdc(5n), emailDomains: ['a.com'] }
  const bounds: GroupBounds = { spendable: 20n, rules, recipients: [['address'], []] }
  const with_ = (over: Partial<RuleValues>) => ({ rules: { ...rules, ...over } })
  const daily = (limit: bigint) => ({ period: 'day' as const, limit: microUsdc(limit) })
  test.each<[string, Partial<GroupBounds>, bigint | 'unbounded']>([
    ['nothing', {}, 0n],
    ['a higher budget', { spendable: 50n }, 30n],
    ['a lower budget', { spendable: 10n }, 0n],
    ['no budget', { spendable: 'unbounded' }, 'unbounded'],
    ['a higher amount', with_({ maxPayment: microUsdc(6n) }), 20n],
    ['an amount without a bound', with_({ maxPayment: null }), 20n],
    ['a lower amount, and a new bound', with_({ maxPayment: microUsdc(4n), periodBudget: daily(3n) }), 0n],
    ['another scope', { recipients: [['address', 'email'], []] }, 20n],
    ['another contact', { recipients: [['address'], ['con']] }, 20n],
    ['fewer scopes', { recipients: [[], []] }, 0n],
    ['another entry of a list', with_({ emailDomains: ['a.com', 'b.com'] }), 20n],
    ['a list without a bound', with_({ emailDomains: null }), 20n],
    ['a shorter list, and a new one', with_({ emailDomains: [], phoneCodes: ['+1'] }), 0n],
    ['new recipients without asking', with_({ approveNewRecipient: false }), 20n],
    ['repeats without asking', with_({ duplicateMinutes: 0 }), 20n],
    ['repeats asked about for longer', with_({ duplicateMinutes: 20 }), 0n],
    ['more time to answer', with_({ approvalTtlHours: 48 }), 0n],
    [
      'a looser rule of a group without a budget',
      { ...with_({ maxPayment: null }), spendable: 'unbounded' },
      'unbounded',
    ],
  ])('%s @password-2', (_, change, increase) => {
    expect(increaseByEdit(bounds, { ...bounds, ...change })).toBe(increase)
  })
})
