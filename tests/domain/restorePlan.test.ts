import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainTransfers, type PlannedPayment, planPayment } from '#domain/restorePlan.ts'

const statuses = ['QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED', 'FAILED', 'CANCELLED'] as const
const sequence = fc.option(fc.nat(3), { nil: null })
const payment: fc.Arbitrary<PlannedPayment> = fc.record({
  status: fc.constantFrom(...statuses),
  walletId: fc.constantFrom('w1', 'w2'),
  to: fc.constantFrom('0xAa', '0xbb'),
  amount: fc.integer({ min: 1, max: 3 }),
  epoch: fc.integer({ min: 1, max: 2 }),
  sequence,
})

test('a payment that may have been executed is added as open until the chain shows its outcome @restore-13', () => {
  fc.assert(
    fc.property(payment, (kept) => {
      const act = planPayment(null, kept)
      const hasEnded = kept.status === 'FAILED' || (kept.status === 'CANCELLED' && kept.sequence === null)
      expect(act).toBe(hasEnded ? 'add_ended' : 'add')
    }),
  )
})

test('a known payment keeps its content and its nonce, whatever D1 contains @restore-16', () => {
  fc.assert(
    fc.property(payment, payment, (known, kept) => {
      const act = planPayment(known, kept)
      expect(['none', 'sign', 'differs', 'ended']).toContain(act)
      const isSame =
        known.walletId === kept.walletId &&
        known.amount === kept.amount &&
        known.to?.toLowerCase() === kept.to?.toLowerCase()
      if (!isSame) expect(act).toBe('differs')
      // A payment takes a nonce from D1 only if it has none here and one there.
      if (act === 'sign') expect([known.status, kept.sequence !== null]).toEqual(['QUEUED', true])
      if (isSame && kept.sequence === null) expect(act).toBe('none')
      if (isSame && known.status !== 'QUEUED' && known.sequence !== null && kept.sequence !== null)
        expect(act).toBe(known.sequence === kept.sequence && known.epoch === kept.epoch ? 'none' : 'differs')
      if (isSame && known.status !== 'QUEUED' && known.sequence === null && kept.sequence !== null)
        expect(act).toBe(kept.status === 'FAILED' ? 'none' : 'ended')
    }),
  )
})

test('planning an already planned payment changes nothing @restore-17', () => {
  fc.assert(
    fc.property(payment, (kept) => {
      const signed = kept.sequence !== null
      const status = planPayment(null, kept) === 'add_ended' ? kept.status : signed ? 'PROCESSING' : 'QUEUED'
      expect(planPayment({ ...kept, status }, kept)).toBe(status === 'QUEUED' && signed ? 'sign' : 'none')
    }),
  )
})

const stray = fc.record({
  nonce: fc.nat(50).map(String),
  to: fc.constantFrom('0xaa', '0xBB'),
  amount: fc.integer({ min: 1, max: 2 }),
  tx: fc.string(),
})
const unsigned = fc.record({ to: fc.constantFrom('0xAA', '0xbb'), amount: fc.integer({ min: 1, max: 2 }) })

test('each transfer explains the oldest payment of its recipient and amount; the rest is left to an operator @restore-18', () => {
  fc.assert(
    fc.property(fc.array(stray), fc.array(unsigned), (strays, open) => {
      const payments = open.map((each, i) => ({ id: `p${i}`, ...each }))
      const { explained, unexplained } = explainTransfers(strays, payments)
      expect(explained.length + unexplained.length).toBe(strays.length)
      expect(new Set(explained.map(({ id }) => id)).size).toBe(explained.length)
      for (const { id, stray: found } of explained) {
        const { to, amount } = payments.find((each) => each.id === id)!
        expect([to.toLowerCase(), amount]).toEqual([found.to.toLowerCase(), found.amount])
      }
      for (const left of unexplained) {
        const like = (each: { to: string; amount: number }) =>
          each.to.toLowerCase() === left.to.toLowerCase() && each.amount === left.amount
        const taken = new Set(explained.map(({ id }) => id))
        expect(payments.filter((each) => like(each) && !taken.has(each.id))).toEqual([])
      }
    }),
  )
})
