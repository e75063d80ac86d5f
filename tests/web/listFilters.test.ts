import { expect, test } from 'vitest'
import { listSearchOf } from '#web/lib/search.ts'
import { addresses, anyOf, id, oneOf, personal, text } from '#web/lists/filters.ts'

const useText = (value: string) => value
const address = `0x${'ab'.repeat(20)}`

test.each([
  [
    'keeps the known values of several, in their own order',
    anyOf('Status', { completed: 'Completed', failed: 'Failed' }),
    'failed,<script>,completed',
    'completed,failed',
  ],
  ['keeps a known value', oneOf('Type', 'All types', { payout: 'Payout' }), 'payout', 'payout'],
  ['drops an unknown value', oneOf('Type', 'All types', { payout: 'Payout' }), 'gift', ''],
  ['drops a value that every object has', oneOf('Type', 'All types', { payout: 'Payout' }), 'constructor', ''],
  ['keeps addresses', addresses({ useText }), `${address},0x12,javascript:1`, address],
  ['keeps an id', id({ useText }), 'agent_1', 'agent_1'],
  ['cuts text at its limit', text('Memo', { maxLength: 3 }), 'November', 'Nov'],
])('a filter from an untrusted URL %s', (_, filter, given, kept) => {
  expect(filter.parse(given)).toBe(kept)
  expect(filter.parse(kept)).toBe(kept)
})

test('an active filter is described with the labels of its values @lists-59', () => {
  const states = anyOf('Status', { CREATED: 'Awaiting Claim', RECLAIMED: 'Reclaimed' })
  expect(states.useText('CREATED,RECLAIMED')).toBe('Status: Awaiting Claim, Reclaimed')
  expect(oneOf('Type', 'All types', { payout: 'Payout' }).useText('payout')).toBe('Type: Payout')
  expect(personal(text('Recipient', { label: 'Recipient Email/Phone', maxLength: 254 })).useText('ada')).toBe(
    'Recipient: ada',
  )
})

test('a list’s parameters are texts; what is neither text nor number, and a wrong page, is left out', () => {
  const search = listSearchOf({ status: 'failed', min: 5, from: null, wallets: ['0x12'], page: 'banana' })
  expect(search).toEqual({ status: 'failed', min: '5', from: undefined, wallets: undefined, page: undefined })
  expect(listSearchOf({ page: '2' })).toEqual({ page: 2 })
})
