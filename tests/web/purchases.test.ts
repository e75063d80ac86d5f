import { expect, test } from 'vitest'
import { resourceLine } from '#web/lib/format.ts'
import {
  categoryLabel,
  displayStatus,
  isFinal,
  movementOf,
  noteOf,
  purchaseState,
  type Transaction,
} from '#web/queries/transactions.ts'

const purchase = (over: Partial<Transaction>): Transaction =>
  ({
    ...{ category: 'x402', status: 'PROCESSING', payoutId: null, approvalId: null, txHash: null, refusal: null },
    ...{ errorMessage: null, resource: 'GET https://api.example.com/weather', agent: { name: 'Scout' } },
    ...over,
  }) as Transaction

test.each<[Partial<Transaction>, ReturnType<typeof noteOf>, string | null, boolean]>([
  [{}, 'Handed out', 'Held', false],
  [{ status: 'QUEUED', approvalId: 'apr_1' }, 'Waits for its agent', 'Held', false],
  [{ status: 'PENDING', approvalId: 'apr_1' }, 'Awaiting approval', null, false],
  [{ status: 'CONFIRMED' }, null, 'Paid', true],
  [{ status: 'FAILED', errorMessage: 'The seller did not take it.' }, 'The seller did not take it.', null, true],
])('a purchase with %j is shown as %j @purchase-screens-4', (over, note, word, final) => {
  const transaction = purchase(over)
  expect([categoryLabel(transaction), noteOf(transaction), movementOf(transaction).word, isFinal(transaction)]).toEqual(
    ['Purchase', note, word, final],
  )
  expect(purchaseState({ ...transaction, category: 'address' })).toBeNull()
  expect(displayStatus(transaction.status).label).toBe(final ? (note ? 'Failed' : 'Completed') : 'Pending')
})

test.each([
  ['GET https://api.example.com/weather', 'api.example.com/weather'],
  ['POST https://api.example.com/', 'api.example.com'],
  ['GET http://localhost:4021/a/b', 'localhost:4021/a/b'],
])('%s is listed as %s @purchase-screens-5', (resource, line) => expect(resourceLine(resource)).toBe(line))
