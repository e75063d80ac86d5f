import { expect, test } from 'vitest'
import { eachNote } from '#domain/paymentNotes.ts'
import { minuteMs } from '#domain/time.ts'
import type { Approval } from '#schemas/approval.ts'
import { changesBetween, recipientOf, timeLeft, titleOf } from '#web/routes/dashboard/-approvals/words.ts'

const now = Date.UTC(2026, 10, 22, 12)
const inMinutes = (minutes: number) => new Date(now + minutes * minuteMs).toISOString()

test.each([
  [0, null],
  [-5, null],
  [0.5, 'less than a minute'],
  [1.5, '2 min'],
  [59, '59 min'],
  [60, '1 h'],
  [24 * 60 - 1, '23 h 59 min'],
  [72 * 60, '3 days'],
])('timeLeft %d minutes before the end is %j @approval-screens-7', (minutes, text) => {
  expect(timeLeft(inMinutes(minutes), now)).toBe(text)
})

const approval: Approval = {
  id: 'apr_1',
  kind: 'payment',
  status: 'PENDING',
  agent: { id: 'agt_1', name: 'Scout', paused: false },
  policyGroup: { id: 'grp_1', name: 'Research' },
  wallet: { id: 'wal_1', name: null, address: `0x${'1'.repeat(40)}`, chain: 'base' },
  recipient: {
    type: 'address',
    address: `0x${'2'.repeat(40)}`,
    email: null,
    phone: null,
    contactId: null,
    contactName: null,
  },
  purchase: null,
  recipientHistory: { payments: 0, lookAlike: null },
  amount: '25',
  ...eachNote(() => null),
  agentReason: null,
  askedBecause: [{ rule: 'above_limit', message: 'It is above 20.00 USDC.' }],
  askedAt: inMinutes(-5),
  expiresAt: inMinutes(60),
  endedAt: null,
  decidedBy: null,
  cancelledWhy: null,
  payment: { id: 'pay_1', status: 'PENDING_APPROVAL', txHash: null },
  wouldPass: { ok: true },
  equalPaymentsSince: 0,
  hash: 'a'.repeat(64),
  needsPassword: false,
  canGrant: true,
  grantId: null,
  channels: { email: { state: 'waiting', at: null }, push: { state: 'not_set_up', at: null } },
}

test('changesBetween lists only changed facts that matter for the decision @approval-screens-8', () => {
  const later: Approval = { ...approval, wouldPass: null, equalPaymentsSince: 2, channels: { ...approval.channels } }
  expect(changesBetween(approval, later)).toEqual([])
  expect(
    changesBetween(approval, { ...later, agent: { id: 'agt_1', name: 'Scout 2', paused: false }, amount: '26' }),
  ).toEqual(['Agent: Scout → Scout 2', 'Amount: 25.00 USDC → 26.00 USDC'])
  const lookAlike = `0x22222${'3'.repeat(32)}222`
  const paid = (payments: number) => ({ ...later, recipientHistory: { payments, lookAlike: null } })
  expect(changesBetween(approval, { ...later, recipientHistory: { payments: 1, lookAlike } })).toEqual([
    'Paid before: never → once',
    `Looks like: no address that you paid → ${lookAlike}`,
  ])
  const buys = (isConfirmed: boolean): Approval => ({
    ...later,
    purchase: { resource: 'GET https://api.example.com/weather', host: 'api.example.com', isConfirmed },
  })
  expect(changesBetween(buys(false), buys(true))).toEqual(['Confirmed by the host: no → yes'])
  expect(recipientOf(buys(true))).toBe('api.example.com/weather')
  expect([titleOf(buys(true)), titleOf({ ...buys(true), status: 'DENIED' })]).toEqual([
    'Scout asks to buy',
    'Scout asked to buy',
  ])
  expect(changesBetween(paid(2), paid(10))).toEqual(['Paid before: 2 times → 10 or more times'])
})
