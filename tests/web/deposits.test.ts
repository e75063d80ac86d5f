import { expect, test } from 'vitest'
import { hasOneSender, type Transaction } from '#web/queries/transactions.ts'

const row = (over: Partial<Transaction>) => ({ category: 'deposit', origin: 'transfer', ...over }) as Transaction

test('only a deposit that one address sent says from whom it came @overview-27', () => {
  expect(hasOneSender(row({}))).toBe(true)
  for (const origin of ['small', 'start'] as const) expect(hasOneSender(row({ origin }))).toBe(false)
  expect(hasOneSender(row({ category: 'withdrawal' }))).toBe(false)
})
