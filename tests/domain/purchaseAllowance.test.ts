import fc from 'fast-check'
import { expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { allowanceInMicro, allowanceProblem, maxLimit, sendLimitOf } from '#domain/sessionKey.ts'
import { refillLimit } from '#domain/x402/purchaseClasses.ts'

const limits = fc.bigInt({ min: 0n, max: maxLimit })

test('an allowance is whole USDC of the limit, and with what sends may use it is the limit @allowance-1', () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: -5, max: 10_005 }), (limit, allowance) => {
      const isAllowed = allowanceProblem(allowance, limit) === null
      expect(isAllowed).toBe(allowance >= 0 && BigInt(allowance) * 1_000_000n <= limit)
      if (!isAllowed) return
      expect(sendLimitOf(limit, allowance) + allowanceInMicro(allowance)).toBe(limit)
      // A session that renews the allowance never raises what sends may take.
      const left = microUsdc(sendLimitOf(limit, allowance) / 2n)
      const next = refillLimit(left, allowance)
      expect(allowanceProblem(allowance, next)).toBeNull()
      expect(sendLimitOf(next, allowance)).toBe(left)
    }),
  )
  for (const fraction of [0.5, Number.NaN, Number.POSITIVE_INFINITY])
    expect(allowanceProblem(fraction, maxLimit)).toBe('Purchase allowance must be a whole number of USDC')
})
