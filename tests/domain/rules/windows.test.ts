import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { periods } from '#domain/policyPeriod.ts'
import { addTo, endOf, groupingMs, type Ring, returnTo, usedOf, windowOf, windowStart } from '#domain/rules/windows.ts'
import { hourMs } from '#domain/time.ts'

const span = fc.oneof(
  fc.constantFrom(...periods),
  fc.integer({ min: 1, max: 720 }).map((hours) => hours * hourMs),
)
const step = fc.record({ wait: fc.nat({ max: 40 * hourMs }), amount: fc.bigInt({ min: 1n, max: 10n }) })
const start = Date.UTC(2026, 1, 27, 22)

describe('a window', () => {
  test('I21: no span of a rolling window’s length contains more than its limit @rules-1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 720 }), fc.array(step, { maxLength: 80 }), (hours, steps) => {
        const length = hours * hourMs
        const limit = 25n
        const paid: { at: number; amount: bigint }[] = []
        let ring: Ring | null = null
        let at = start
        for (const { wait, amount } of steps) {
          at += Math.floor((wait * hours) / 720)
          if (usedOf(length, ring, at).used + amount > limit) continue
          ring = addTo(length, ring, at, amount)
          paid.push({ at, amount })
          const inWindow = paid.filter((each) => each.at > at - length)
          expect(inWindow.reduce((sum, each) => sum + each.amount, 0n)).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })

  test('returns exactly what was counted, and nothing once it has ended @rules-2', () => {
    fc.assert(
      fc.property(span, fc.array(step, { minLength: 1, maxLength: 20 }), fc.nat(), (length, steps, which) => {
        let at = start
        let ring: Ring | null = null
        const counted = steps.map(({ wait, amount }) => {
          at += wait
          ring = addTo(length, ring, at, amount)
          return { at, amount }
        })
        const one = counted[which % counted.length]!
        const others = counted
          .filter((each) => each !== one)
          .reduce<Ring | null>((so, each) => addTo(length, so, each.at, each.amount), null)
        const returned = returnTo(length, ring!, one.at, one.amount)
        expect(usedOf(length, returned, at).used).toBe(usedOf(length, others, at).used)
        expect(usedOf(length, returned, endOf(length, returned)).used).toBe(0n)
      }),
    )
  })

  test('made again from payments is the window that counted them @rules-3', () => {
    fc.assert(
      fc.property(span, fc.array(step, { minLength: 1, maxLength: 40 }), (length, steps) => {
        let at = start
        let ring: Ring | null = null
        const paid = steps.map(({ wait, amount }) => {
          at += wait
          ring = addTo(length, ring, at, amount)
          return { at, amount }
        })
        const since = paid.filter((each) => each.at >= windowStart(length, at))
        // As the query groups them.
        const grouped = Map.groupBy(since, (each) => Math.floor(each.at / groupingMs(length)))
        const sums = [...grouped.values()].map((group) => ({
          at: Math.max(...group.map((each) => each.at)),
          amount: group.reduce((sum, each) => sum + each.amount, 0n),
        }))
        const made = windowOf(length, sums, at)
        expect(usedOf(length, made, at)).toEqual(usedOf(length, ring, at))
        for (const later of [at + hourMs, at + 100 * hourMs])
          expect(usedOf(length, made, later)).toEqual(usedOf(length, ring, later))
      }),
    )
  })

  test('counts in its newest slice when the clock goes back @rules-4', () => {
    fc.assert(
      fc.property(span, fc.nat({ max: 1_000 * hourMs }), (length, back) => {
        const ring = addTo(length, addTo(length, null, start, 3n), start - back, 4n)
        expect(usedOf(length, ring, start - back).used).toBe(7n)
        expect(usedOf(length, ring, start).used).toBe(7n)
      }),
    )
  })

  test('of 24 hours lets the oldest part leave after 24 hours, and at most a slice later', () => {
    const day = 24 * hourMs
    const ring = addTo(day, null, start, 5n)
    const { resetsAt } = usedOf(day, ring, start)
    expect(resetsAt! - start).toBeGreaterThan(day - 1)
    expect(resetsAt! - start).toBeLessThanOrEqual(day + Math.ceil(day / 23))
    expect(usedOf(day, ring, resetsAt! - 1).used).toBe(5n)
    expect(usedOf(day, ring, resetsAt!).used).toBe(0n)
  })
})
