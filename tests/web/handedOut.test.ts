import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allowanceInMicro, durationProblem, limitProblem, maxLimit } from '#domain/sessionKey.ts'
import { hourMs } from '#domain/time.ts'
import { renewedGrant } from '#web/queries/handedOut.ts'

const now = Date.UTC(2026, 10, 22, 12)
const session = fc.bigInt({ min: 1_000_000n, max: maxLimit }).chain((limit) =>
  fc.record({
    limit: fc.constant(limit),
    purchaseAllowance: fc.integer({ min: 0, max: Number(limit / 1_000_000n) }),
    spent: fc.bigInt({ min: 0n, max: limit }),
    held: fc.bigInt({ min: 0n, max: limit }),
    minutes: fc.integer({ min: -60, max: 90 * 24 * 60 }),
  }),
)

test('stopping what was handed out grants no more than was left, and purchases their allowance again @handed-out-1', () => {
  fc.assert(
    fc.property(session, ({ limit, purchaseAllowance, spent, held, minutes }) => {
      const grant = renewedGrant(
        {
          ...{ spendingLimit: String(limit), spentAmount: String(spent), heldAmount: String(held), purchaseAllowance },
          validUntil: now / 1000 + minutes * 60,
        },
        now,
      )
      const granted = BigInt(grant.spendingLimit)
      expect([limitProblem(granted), durationProblem(grant.ttlHours)]).toEqual([null, null])
      expect(granted).toBeGreaterThanOrEqual(allowanceInMicro(purchaseAllowance))
      expect(granted).toBeLessThanOrEqual(limit)
      const left = limit - spent - held
      if (left >= allowanceInMicro(purchaseAllowance) && left >= 1_000_000n) expect(granted).toBe(left)
      if (minutes >= 60) expect(grant.ttlHours * hourMs).toBeLessThanOrEqual(minutes * 60_000)
    }),
  )
})
