import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { type GroupBounds, increaseByEdit, needsPassword, sumOfIncreases } from '#domain/ownerPassword.ts'

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

describe('an edit of a group', () => {
  const bounds: GroupBounds = {
    spendable: 20n,
    amounts: [5n, null],
    lists: [['address'], null],
    asksNewRecipient: true,
    asksRepeats: 10,
  }
  test.each<[string, Partial<GroupBounds>, bigint | 'unbounded']>([
    ['nothing', {}, 0n],
    ['a higher budget', { spendable: 50n }, 30n],
    ['a lower budget', { spendable: 10n }, 0n],
    ['no budget', { spendable: 'unbounded' }, 'unbounded'],
    ['a higher amount', { amounts: [6n, null] }, 20n],
    ['an amount without a bound', { amounts: [null, null] }, 20n],
    ['a lower amount, and a new bound', { amounts: [4n, 3n] }, 0n],
    ['another entry of a list', { lists: [['address', 'email'], null] }, 20n],
    ['a list without a bound', { lists: [null, null] }, 20n],
    ['a shorter list, and a new one', { lists: [[], ['x']] }, 0n],
    ['new recipients without asking', { asksNewRecipient: false }, 20n],
    ['repeats without asking', { asksRepeats: 0 }, 20n],
    ['a looser rule of a group without a budget', { amounts: [6n, null], spendable: 'unbounded' }, 'unbounded'],
  ])('%s @password-2', (_, change, increase) => {
    expect(increaseByEdit(bounds, { ...bounds, ...change })).toBe(increase)
  })
})
