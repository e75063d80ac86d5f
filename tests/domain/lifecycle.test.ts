import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Attempts, attemptAllowed, lockMs, maxTries, recordWrong } from '#domain/attempts.ts'
import { deadlineIsFinal, issuable, maxInFlight, maxSpread, mustResign, nonceOf } from '#domain/intent.ts'
import { formatUsdc, formatUsdcText, microUsdc, parseUsdc } from '#domain/money.ts'
import {
  type BookedEvent,
  claimStatus,
  nextPayment,
  nextPayout,
  type PaymentEvent,
  type PaymentStatus,
  type PayoutEvent,
  type PayoutStatus,
  paymentBefore,
} from '#domain/payment.ts'
import { minuteMs } from '#domain/time.ts'

const paymentEvents: PaymentEvent[] = ['signed', 'paid', 'funded', 'withdrawn', 'reclaimed', 'dead']
const payoutEvents: PayoutEvent[] = [
  'ready',
  'unready',
  'claim',
  'reclaim',
  'lapsed',
  'lapsed_unready',
  'withdrawn',
  'reclaimed',
  'dead',
]

describe('life cycles', () => {
  test('I5: no event leaves a terminal state @lifecycle-1', () => {
    for (const status of [
      'CONFIRMED',
      'FAILED',
      'CANCELLED',
      'POLICY_REJECTED',
      'VALIDATION_FAILED',
    ] satisfies PaymentStatus[])
      for (const event of paymentEvents) expect(nextPayment(status, event)).toBeNull()
    for (const status of ['WITHDRAWN', 'RECLAIMED', 'FAILED'] satisfies PayoutStatus[])
      for (const event of payoutEvents) expect(nextPayout(status, event)).toBeNull()
  })

  test('I2: any order of events reaches at most one terminal state @lifecycle-2', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...paymentEvents), { maxLength: 30 }), (events) => {
        const terminal = new Set<PaymentStatus>()
        let status: PaymentStatus = 'QUEUED'
        for (const event of events) {
          status = nextPayment(status, event) ?? status
          if (['CONFIRMED', 'FAILED', 'CANCELLED'].includes(status)) terminal.add(status)
        }
        expect(terminal.size).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('I5: a booked event can be undone only from the status it led to @reorg-10', () => {
    const booked = { paid: 'PROCESSING', funded: 'PROCESSING', withdrawn: 'PENDING', reclaimed: 'PENDING' } as const
    for (const [event, before] of Object.entries(booked) as [BookedEvent, PaymentStatus][]) {
      const after = nextPayment(before, event)!
      expect(paymentBefore(after, event)).toBe(before)
      for (const status of ['QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED', 'FAILED', 'CANCELLED'] as const)
        if (status !== after) expect(paymentBefore(status, event), `${event} from ${status}`).toBeNull()
    }
  })

  test('I4: claim and reclaim exclude each other; a payout ends in one of withdrawn, reclaimed, failed @lifecycle-3', () => {
    expect(nextPayout('CLAIMING', 'reclaim')).toBeNull()
    expect(nextPayout('RECLAIMING', 'claim')).toBeNull()
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...payoutEvents), { maxLength: 30 }), (events) => {
        const terminal = new Set<PayoutStatus>()
        let status: PayoutStatus = 'CREATING'
        for (const event of events) {
          status = nextPayout(status, event) ?? status
          if (['WITHDRAWN', 'RECLAIMED', 'FAILED'].includes(status)) terminal.add(status)
        }
        expect(terminal.size).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('a payout reclaimed by its sender looks cancelled to the recipient', () => {
    expect(claimStatus('RECLAIMING')).toBe('CANCELLED')
    expect(claimStatus('RECLAIMED')).toBe('CANCELLED')
    expect(claimStatus('CLAIMING')).toBe('CLAIMING')
    expect(claimStatus('FAILED'), 'a payout that was never funded was not taken back').toBe('FAILED')
  })
})

describe('intents', () => {
  test('A3: the spread of nonces never exceeds the window, and at most 64 are in flight @lifecycle-4', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 0, max: 127 }), fc.nat(maxInFlight), (lowest, spread, inFlight) => {
        const next = lowest + spread + 1
        const room = issuable(next, lowest, inFlight)
        expect(room).toBeGreaterThanOrEqual(0)
        if (room > 0) expect(next + room - 1 - lowest).toBeLessThanOrEqual(maxSpread)
        expect(inFlight + room).toBeLessThanOrEqual(Math.max(maxInFlight, inFlight))
      }),
    )
  })

  test('a nonce is the epoch and the sequence, 32 bits each', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.nat(0xffff_ffff), (epoch, sequence) => {
        const nonce = nonceOf(epoch, sequence)
        expect(Number(nonce >> 32n)).toBe(epoch)
        expect(Number(nonce & 0xffff_ffffn)).toBe(sequence)
      }),
    )
  })

  test('an intent is not signed again after giveUpAt or once its epoch has passed', () => {
    const intent = { deadline: 100, giveUpAt: 1000, epoch: 3 }
    expect(mustResign(intent, { timestamp: 41, epoch: 3 }, 999)).toBe(true)
    expect(mustResign(intent, { timestamp: 40, epoch: 3 }, 999)).toBe(false)
    expect(mustResign(intent, { timestamp: 99, epoch: 3 }, 1000)).toBe(false)
    expect(mustResign(intent, { timestamp: 99, epoch: 4 }, 999)).toBe(false)
  })

  test('an intent may be dead only once a finalized block is later than its last deadline @lifecycle-5', () => {
    expect(deadlineIsFinal(100, 100)).toBe(false)
    expect(deadlineIsFinal(100, 101)).toBe(true)
  })
})

describe('amounts', () => {
  test('a formatted amount parses back to the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), (value) => {
        expect(parseUsdc(formatUsdc(value))).toBe(value)
        expect(parseUsdc(formatUsdcText(value))).toBe(value)
        expect(formatUsdcText(value)).toMatch(/^\d+\.\d{2,6}$/)
      }),
    )
  })
  test.each([
    '',
    '-1',
    '+1',
    '1e3',
    '1.',
    '.5',
    '1.0000001',
    ' 1',
    '1 ',
    '1,5',
    '٣',
    '１',
    '0x10',
    'NaN',
    'Infinity',
    '1234567890123',
    '1.5.5',
  ])('%j is not an amount', (text) => {
    expect(parseUsdc(text)).toBeNull()
  })
  test('microUsdc rejects negative amounts', () => expect(() => microUsdc(-1n)).toThrow(RangeError))
})

describe('passcode attempts', () => {
  test('I8: at most 20 codes are evaluated in total, and five wrong codes in a row lock for 15 minutes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 * minuteMs }), { minLength: 50, maxLength: 200 }), (waits) => {
        let attempts: Attempts = { total: 0, recent: 0, lockedUntil: 0 }
        let now = 0
        let evaluated = 0
        const times: number[] = []
        for (const wait of waits) {
          now += wait
          if (!attemptAllowed(attempts, now).ok) continue
          evaluated += 1
          times.push(now)
          attempts = recordWrong(attempts, now)
        }
        expect(evaluated).toBeLessThanOrEqual(maxTries)
        for (const [i, at] of times.entries())
          if (i >= 5 && i % 5 === 0) expect(at - times[i - 1]!).toBeGreaterThanOrEqual(lockMs)
      }),
    )
  })
})
