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
  totals: history.all('SELECT * FROM total ORDER BY 1, 2, 3, 4'),
  recipients: history.all('SELECT * FROM recipient_total ORDER BY 1, 2'),
})

/** The same, from what is counted now. None of these payments has a time of spending; tests/treasury/answers.test.ts has those that do. */
const sumsAgain = (history: ReturnType<typeof createMemoryHistory>) => ({
  totals: history.all(
    `SELECT chain, wallet_id, state, method, count(*) AS n, sum(amount) AS amount FROM counted
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
  ),
  recipients: history.all(
    `SELECT DISTINCT chain, recipient, count(*) OVER paid AS n, sum(amount) OVER paid AS amount,
       first_value(at) OVER (paid ORDER BY at DESC, id DESC) AS last_at,
       first_value(id) OVER (paid ORDER BY at DESC, id DESC) AS last_id,
       0 AS week, 0 AS week_0, 0 AS week_1, 0 AS week_2, 0 AS month, 0 AS month_0, 0 AS month_1, 0 AS month_2
     FROM counted WHERE recipient IS NOT NULL WINDOW paid AS (PARTITION BY chain, recipient) ORDER BY 1, 2`,
  ),
})

test('sums that follow each change are those of all payments, whatever changed and in which order @figures-5', () => {
  const change = fc.record({
    payment: fc.nat(4),
    status: fc.constantFrom(...statuses),
    to: fc.nat(1),
    at: fc.nat(3),
    amount: fc.integer({ min: 1, max: 9 }),
    isGone: fc.boolean(),
  })
  const { store, context } = treasury
  fc.assert(
    fc.property(fc.array(change, { minLength: 15, maxLength: 15 }), (changes) => {
      const history = createMemoryHistory(treasury)
      for (const { payment, status, to, at, amount, isGone } of changes) {
        const id = `pay_${payment}`
        store.run('DELETE FROM payment WHERE id = ?', id)
        const refused = status === 'POLICY_REJECTED'
        const row = { status, to_address: addressOf(to), amount, created_at: at, refusal: refused ? '{}' : null }
        if (!isGone) store.insert('payment', paymentRow({ id, ...row, accepted_at: refused ? null : at }))
        recordChange(context, id)
        history.follow()
        expect(sums(history)).toEqual(sumsAgain(history))
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
    { numRuns: 40 },
  )
})
