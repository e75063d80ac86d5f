/** Sums that History keeps, against a History that has read everything at once. */
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PaymentStatus } from '#domain/payment.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { addressOf } from '../support/build.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow } from '../support/rows.ts'

let treasury: MemoryTreasury
beforeEach(() => {
  treasury = createMemoryTreasury(100_000_000n, 100_000_000n)
})
afterEach(() => treasury.close())

const statuses: PaymentStatus[] = ['QUEUED', 'PROCESSING', 'CONFIRMED', 'FAILED', 'CANCELLED', 'POLICY_REJECTED']
const sums = (history: ReturnType<typeof createMemoryHistory>) => ({
  totals: history.all('SELECT * FROM total ORDER BY 1, 2, 3, 4, 5'),
  recipients: history.all('SELECT * FROM recipient_total ORDER BY 1, 2'),
})

test('sums that follow each change are those of all payments, whatever changed and in which order @figures-5', () => {
  const change = fc.record({
    payment: fc.nat(7),
    status: fc.constantFrom(...statuses),
    to: fc.nat(2),
    at: fc.nat(3),
    amount: fc.integer({ min: 1, max: 9 }),
    isGone: fc.boolean(),
  })
  const { store, context } = treasury
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const history = createMemoryHistory(treasury)
      for (const { payment, status, to, at, amount, isGone } of changes) {
        const id = `pay_${payment}`
        store.run('DELETE FROM payment WHERE id = ?', id)
        const refused = status === 'POLICY_REJECTED'
        const row = { status, to_address: addressOf(to), amount, created_at: at, refusal: refused ? '{}' : null }
        if (!isGone) store.insert('payment', paymentRow({ id, ...row, accepted_at: refused ? null : at }))
        recordChange(context, id)
        history.follow()
      }
      const again = createMemoryHistory(treasury)
      again.follow()
      expect(sums(history)).toEqual(sums(again))
      const [{ n } = { n: 0 }] = store.all<{ n: number }>('SELECT count(*) AS n FROM payment')
      const totals = sums(history).totals as { n: number }[]
      expect(totals.reduce((sum, total) => sum + total.n, 0)).toBe(n)
      for (const each of [history, again]) each.close()
      store.run('DELETE FROM payment')
    }),
    { numRuns: 60 },
  )
})
