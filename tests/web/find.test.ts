import { expect, test } from 'vitest'
import { find, isTransactionPart } from '#web/routes/-shell/find.ts'

const all = [
  { label: 'Send to Grace Hopper', words: 'grace@bursar.test' },
  { label: 'Overview', words: 'go to open' },
  { label: 'Grace Hopper', words: 'grace@bursar.test 0x7099' },
  { label: 'Payouts' },
]
const labels = (text: string, most = 10) => find(all, text, most).map(({ label }) => label)

test('find matches every word in any order and case, and lists labels that start with the text first @palette-4', () => {
  expect(labels('')).toEqual(all.map(({ label }) => label))
  expect(labels('grace')).toEqual(['Grace Hopper', 'Send to Grace Hopper'])
  expect(labels('  HOPPER send ')).toEqual(['Send to Grace Hopper'])
  expect(labels('BURSAR.test 0x70')).toEqual(['Grace Hopper'])
  expect(labels('go over')).toEqual(['Overview'])
  expect(labels('.*')).toEqual([])
  expect(labels('', 2)).toHaveLength(2)
})

test.each(['pay_0mgx1', '0xab', '0XAB12', '7f3a9c', 'abc123def'])(
  '%s may be part of a transaction id or hash @palette-5',
  (text) => {
    expect(isTransactionPart(text)).toBe(true)
  },
)
test.each(['', 'grace', 'payout', '0x', 'pay_', 'a1', 'john 42 smith', 'ada@bursar.test', `a1${'b'.repeat(90)}`])(
  '%s is not part of a transaction id or hash @palette-6',
  (text) => {
    expect(isTransactionPart(text)).toBe(false)
  },
)

test('the id of a payout’s second transaction is recognized too @palette-7', () => {
  expect(isTransactionPart('pay_0mwpbywgv11b1c008a0349524b8c9:withdraw')).toBe(true)
  expect(isTransactionPart('pay_0mwp:')).toBe(true)
  expect(isTransactionPart('0mwpbywgv11b1c008a0349524b8c9:withdraw')).toBe(true)
})
