import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colorsOf, gridFor, shareOf } from '#web/components/charts/scale.ts'

const usdc = (text: string) => BigInt(Math.round(Number(text) * 1_000_000))

test('a chart has three grid lines at round amounts, the highest at or just above the largest amount @screens-121', () => {
  const texts = (most: string) => gridFor(usdc(most)).lines.map(({ text }) => text)
  expect(texts('41.5')).toEqual(['$15', '$30', '$45'])
  expect(texts('1348.95')).toEqual(['$500', '$1,000', '$1,500'])
  expect(texts('0.000003')).toEqual(['$0.000001', '$0.000002', '$0.000003'])
  expect(texts('0.01')).toEqual(['$0.004', '$0.008', '$0.012'])
  expect(texts('7.4')).toEqual(['$2.50', '$5', '$7.50'])
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (most) => {
      const { top, lines } = gridFor(most)
      expect(top >= most && top > 0n).toBe(true)
      expect(lines.at(-1)!.share).toBe(100)
      if (most > 100n) expect(shareOf(most, top)).toBeGreaterThan(66)
    }),
  )
})

test('an agent keeps its color whatever else a chart shows, and two in one chart differ @screens-122', () => {
  const agent = (order: number) => ({ kind: 'agent' as const, order })
  const user = { kind: 'user' as const, order: null }
  const [first, second] = colorsOf([agent(4), agent(1), user])
  expect(colorsOf([user, agent(1), agent(4)]).slice(1)).toEqual([second, first])
  expect(colorsOf([agent(4)])).toEqual([first])
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(100), { maxLength: 6 }), (orders) => {
      const shown = [user, ...orders.map(agent), { kind: 'others' as const, order: null }]
      expect(new Set(colorsOf(shown)).size).toBe(shown.length)
    }),
  )
})
