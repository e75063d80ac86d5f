import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  batchFrom,
  chooseBatch,
  companyMs,
  fairPick,
  largestBatch,
  maxInFlight,
  shareOfOneUser,
  type WaitingItem,
} from '../../worker/domain/batch.ts'

const now = 1_000_000

function aWaitingItem(over: Partial<WaitingItem> & { id: string }): WaitingItem {
  return { userId: over.id, lane: 'send', alone: false, queuedAt: now, ...over }
}

const several = (count: number, over: (i: number) => Partial<WaitingItem> = () => ({})): WaitingItem[] =>
  Array.from({ length: count }, (_, i) => aWaitingItem({ id: `i${i}`, ...over(i) }))

describe('chooseBatch', () => {
  test('a lone item goes direct at once while nothing is in flight', () => {
    expect(chooseBatch(several(1), 0, now)).toEqual({ plan: { kind: 'direct', ids: ['i0'] }, nextAt: null })
  })

  test('one or two wait 300 ms for company while a transaction is in flight', () => {
    for (const count of [1, 2]) {
      expect(chooseBatch(several(count), 1, now)).toEqual({ plan: null, nextAt: now + companyMs })
      expect(chooseBatch(several(count), 1, now + companyMs - 1).plan).toBeNull()
      expect(chooseBatch(several(count), 1, now + companyMs).plan).not.toBeNull()
    }
  })

  test('after the wait one goes direct and two go together', () => {
    expect(chooseBatch(several(1), 1, now + companyMs).plan?.kind).toBe('direct')
    expect(chooseBatch(several(2), 1, now + companyMs).plan).toEqual({ kind: 'sends', ids: ['i0', 'i1'] })
  })

  test('three go together at once', () => {
    expect(chooseBatch(several(batchFrom), 1, now).plan).toEqual({ kind: 'sends', ids: ['i0', 'i1', 'i2'] })
  })

  test('sends and calls never share a transaction, and one lane does not hold up the other', () => {
    const waiting = [aWaitingItem({ id: 'call', lane: 'call' }), ...several(3)]
    expect(chooseBatch(waiting, 1, now).plan).toEqual({ kind: 'sends', ids: ['i0', 'i1', 'i2'] })
    expect(
      chooseBatch(
        several(3, () => ({ lane: 'call' })),
        1,
        now,
      ).plan?.kind,
    ).toBe('calls')
  })

  test('an item that failed in company travels by itself', () => {
    const waiting = [aWaitingItem({ id: 'bad', alone: true }), ...several(5)]
    expect(chooseBatch(waiting, 0, now).plan).toEqual({ kind: 'direct', ids: ['bad'] })
    expect(chooseBatch(waiting.toReversed(), 0, now).plan?.ids).not.toContain('bad')
  })

  test('nothing leaves while the account has all its transactions in flight', () => {
    expect(chooseBatch(several(60), maxInFlight, now)).toEqual({ plan: null, nextAt: null })
  })

  test('one user sends ten while another waits, and fifty when nobody does', () => {
    const ofOne = several(60, () => ({ userId: 'a' }))
    expect(chooseBatch(ofOne, 0, now).plan?.ids).toHaveLength(largestBatch.send)
    const plan = chooseBatch([...ofOne, aWaitingItem({ id: 'b', userId: 'b' })], 0, now).plan
    expect(plan?.ids).toHaveLength(shareOfOneUser + 1)
    expect(plan?.ids).toContain('b')
  })
})

const waitingItems = fc
  .array(
    fc.record({
      userId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      lane: fc.constantFrom('send' as const, 'call' as const),
      alone: fc.boolean(),
      queuedAt: fc.integer({ min: now - 1_000, max: now }),
    }),
    { maxLength: 200 },
  )
  .map((items) => items.map((item, i) => ({ ...item, id: `i${i}` })).sort((a, b) => a.queuedAt - b.queuedAt))

describe('whatever waits', () => {
  test('a plan is fair, fits and never mixes', () => {
    fc.assert(
      fc.property(waitingItems, fc.integer({ min: 0, max: maxInFlight }), (waiting, inFlight) => {
        const { plan } = chooseBatch(waiting, inFlight, now)
        if (!plan) return
        const items = plan.ids.map((id) => waiting.find((item) => item.id === id)!)
        expect(new Set(plan.ids).size).toBe(plan.ids.length)
        expect(plan.ids.length).toBeGreaterThan(0)
        if (plan.kind === 'direct') {
          expect(plan.ids.length).toBeLessThanOrEqual(maxInFlight - inFlight)
          return
        }
        const lane = plan.kind === 'sends' ? 'send' : 'call'
        expect(items.every((item) => item.lane === lane && !item.alone)).toBe(true)
        expect(items.length).toBeLessThanOrEqual(largestBatch[lane])
        const company = waiting.filter((item) => item.lane === lane && !item.alone)
        if (new Set(company.map(({ userId }) => userId)).size > 1) {
          for (const user of new Set(items.map(({ userId }) => userId))) {
            expect(items.filter(({ userId }) => userId === user).length).toBeLessThanOrEqual(shareOfOneUser)
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('sending what is chosen, again and again, leaves nobody behind', () => {
    fc.assert(
      fc.property(waitingItems, (all) => {
        let waiting = all
        for (let turn = 0; waiting.length > 0; turn++) {
          expect(turn).toBeLessThanOrEqual(all.length)
          const { plan } = chooseBatch(waiting, 0, now)
          expect(plan).not.toBeNull()
          waiting = waiting.filter(({ id }) => !plan!.ids.includes(id))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('every user has a part in the pick before anyone has a second', () => {
    fc.assert(
      fc.property(waitingItems, fc.integer({ min: 1, max: 50 }), (waiting, size) => {
        const picked = fairPick(waiting, size, shareOfOneUser)
        const users = new Set(waiting.map(({ userId }) => userId))
        expect(new Set(picked.map(({ userId }) => userId)).size).toBe(Math.min(users.size, size))
      }),
    )
  })
})
