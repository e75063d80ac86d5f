import fc from 'fast-check'
import { expect, test } from 'vitest'
import { microUsdc, parseUsdc } from '../../../worker/domain/money.ts'
import {
  type ClassUse,
  capOf,
  classFor,
  classProblem,
  countOf,
  maxPurchase,
  needsRefill,
  purchaseClasses,
  refillLimit,
  reserveOfOwner,
  shareOfAgent,
} from '../../../worker/domain/x402/purchaseClasses.ts'

const allowances = fc.integer({ min: 0, max: 65_535 })
const usdc = (text: string) => parseUsdc(text)!

test('an allowance of 50 has 500, 150 and 30 purchases @x402-1', () => {
  expect(purchaseClasses.map((each) => countOf(each, 50))).toEqual([500, 150, 30])
  expect(purchaseClasses.map((each) => countOf(each, 0))).toEqual([0, 0, 0])
  expect(
    purchaseClasses.map((each) => countOf(each, 1)),
    'counts are rounded down',
  ).toEqual([10, 3, 0])
})

test('all purchases of a session together cost at most its allowance, and at least all but 0.8 of it @x402-2', () => {
  fc.assert(
    fc.property(allowances, (allowance) => {
      const most = purchaseClasses.reduce((sum, each) => sum + BigInt(countOf(each, allowance)) * capOf(each), 0n)
      const whole = BigInt(allowance) * 1_000_000n
      return most <= whole && whole - most <= 800_000n
    }),
  )
})

test('an amount is paid from the cheapest class that has it as its cap @x402-3', () => {
  const cases = [
    ['0.000001', 0],
    ['0.01', 0],
    ['0.010001', 1],
    ['0.1', 1],
    ['0.100001', 2],
    ['1', 2],
    ['1.000001', null],
  ] as const
  for (const [amount, expected] of cases) expect(classFor(usdc(amount)), amount).toBe(expected)
  expect(maxPurchase).toBe(usdc('1'))
})

test('one agent that never settles leaves the others at least 60 % of each class @x402-4', () => {
  fc.assert(
    fc.property(allowances, fc.constantFrom(...purchaseClasses), (allowance, purchaseClass) => {
      const use: ClassUse = { count: countOf(purchaseClass, allowance), taken: 0 }
      let ofFirst = 0
      while (classProblem(use, ofFirst) === null) {
        ofFirst += 1
        use.taken += 1
      }
      let ofOthers = 0
      while (classProblem(use, 0) === null) {
        ofOthers += 1
        use.taken += 1
      }
      // Below four numbers, a quarter rounded up is the only one, or one of two or three.
      expect(ofFirst).toBe(Math.min(shareOfAgent(use), use.count))
      if (use.count > 2) expect(ofOthers).toBeGreaterThanOrEqual(Math.floor(use.count * 0.6))
      expect(use.count - use.taken).toBe(reserveOfOwner(use))
    }),
    { numRuns: 20 },
  )
})

test('a refusal says whether the class is used up or the agent has too many open @x402-5', () => {
  const use = { count: 30, taken: 8 }
  expect(classProblem(use, 7)).toBeNull()
  expect(classProblem(use, 8)).toBe('share')
  expect(classProblem({ count: 30, taken: 26 }, 0)).toBeNull()
  expect(classProblem({ count: 30, taken: 27 }, 0), 'the rest is the owner’s').toBe('class')
  expect(classProblem({ count: 30, taken: 29 }, null)).toBeNull()
  expect(classProblem({ count: 30, taken: 30 }, null)).toBe('class')
  expect(classProblem({ count: 0, taken: 0 }, null)).toBe('class')
})

test('a refill is due below a quarter, and adds exactly what purchases used @x402-6', () => {
  expect(needsRefill({ count: 30, taken: 22 })).toBe(false)
  expect(needsRefill({ count: 30, taken: 23 })).toBe(true)
  expect(needsRefill({ count: 0, taken: 0 })).toBe(false)
  expect(refillLimit(usdc('450'), 50)).toBe(usdc('500'))
  expect(refillLimit(microUsdc(0n), 0)).toBe(0n)
})
