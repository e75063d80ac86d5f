import { expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import {
  allowanceInWords,
  grantOf,
  grantProblems,
  grantWithPurchases,
  usualGrant,
} from '#web/routes/dashboard/-wallets/session/grant.ts'

const now = Date.UTC(2026, 10, 27)
const info = (over: Partial<SessionKeyInfo> = {}): SessionKeyInfo => ({
  address: '0x0000000000000000000000000000000000000001',
  spendingLimit: '1000000000',
  purchaseAllowance: 0,
  spentAmount: '0',
  heldAmount: '0',
  validUntil: (now + 100 * hourMs) / 1000,
  isExpired: false,
  isActive: true,
  canRotate: true,
  nonce: 1,
  rotationDisabled: false,
  sessionRevoked: false,
  actions: [],
  ...over,
})

test('a purchase allowance is a whole number of USDC, at most the limit @session-keys-34', () => {
  const problem = (allowance: string, limit = '40.5') => grantProblems({ limit, allowance, hours: '1' }).allowance
  for (const allowance of ['0', '40', '7.', '07']) expect(problem(allowance), allowance).toBeNull()
  for (const allowance of ['', '1.5', '-1', 'ten', '0.000001'])
    expect(problem(allowance), allowance).toBe('Purchase allowance must be a whole number of USDC')
  for (const [allowance, limit] of [
    ['41', '40.5'],
    ['999999999999', '10000'],
    ['10001', 'wrong'],
  ] as const)
    expect(problem(allowance, limit), allowance).toBe('Purchase allowance cannot exceed the spending limit')
  expect(problem('10000', 'wrong'), 'only the limit is wrong').toBeNull()
  expect(grantOf({ limit: '40.5', allowance: '07', hours: '24' })).toEqual({
    ...{ spendingLimit: '40500000', purchaseAllowance: 7, ttlHours: 24 },
  })
  expect(usualGrant(info({ purchaseAllowance: 16 }))).toEqual({ limit: '1000', allowance: '16', hours: '720' })
})

test('an allowance is explained by the purchases that it pays for @session-keys-35', () => {
  expect(allowanceInWords('50')).toBe(
    'Purchase allowance: $50.00 of the limit is kept for x402 purchases, and sends have that much less. It pays for up to 500 purchases of at most $0.01, 150 of at most $0.10, and 30 of at most $1.00.',
  )
  expect(allowanceInWords('1'), 'counts round down').toMatch(
    /up to 10 purchases of at most \$0\.01 and 3 of at most \$0\.10\.$/,
  )
  for (const text of ['0', '', '1.5', '999999999999'])
    expect(allowanceInWords(text), text).toMatch(/^The purchase .*\$50/)
})

test('the first allowance is a tenth of what is left, at most 20, and changes nothing else @session-keys-36', () => {
  const after = (over: Partial<SessionKeyInfo>) => grantWithPurchases(info(over), now)
  expect(after({})).toEqual({ limit: '1000', allowance: '20', hours: '100' })
  expect(after({ spentAmount: '800000000', heldAmount: '50500000', validUntil: now / 1000 + 3601 })).toEqual({
    ...{ limit: '149.5', allowance: '14', hours: '2' },
  })
  const usual = { limit: '1000', allowance: '20', hours: '720' }
  expect(after({ spentAmount: '990000001' }), 'too little is left').toEqual(usual)
  expect(after({ isActive: false, isExpired: true, validUntil: now / 1000 - 1 })).toEqual(usual)
})
