import { formatUsdc, microUsdc } from '#domain/money.ts'
import type { SpendingSeries } from '#schemas/usage.ts'
import { formatAmount } from '#web/lib/format.ts'

/** How many grid lines a chart has above its base. */
const lines = 3
/** The steps between grid lines, in tenths of a power of ten. */
const roundSteps = [10n, 15n, 20n, 25n, 30n, 40n, 50n, 60n, 80n, 100n]

/** The distance between grid lines, a round amount, so that the highest line is at or above `most`. In micro-USDC. */
function stepFor(most: bigint): bigint {
  const least = most <= 0n ? 1n : (most + BigInt(lines) - 1n) / BigInt(lines)
  const power = 10n ** BigInt(String(least).length - 1)
  return roundSteps.map((tenths) => (power * tenths) / 10n).find((step) => step >= least)!
}

/** A chart's grid lines, the lowest first, with what each means; `top` is the highest, in micro-USDC. */
export function gridFor(most: bigint): { top: bigint; lines: { share: number; text: string }[] } {
  const step = stepFor(most)
  return {
    top: step * BigInt(lines),
    lines: Array.from({ length: lines }, (_, i) => ({
      share: ((i + 1) * 100) / lines,
      text: `$${formatAmount(formatUsdc(microUsdc(step * BigInt(i + 1)))).replace(/\.00$/, '')}`,
    })),
  }
}

/** What part of `top` an amount is, in percent with two decimals. */
export const shareOf = (amount: bigint, top: bigint): number => Number((amount * 10_000n) / top) / 100

/** Colors of agents and groups, each with a contrast of at least 3:1 on a card. Names are always shown next to them. */
const colors = [
  ...['#3f6b8f', '#9a5b00', '#7a4b7d', '#b5603c', '#6f7a1f', '#2f7f86'],
  ...['#a8456b', '#4f5fb0', '#6b5b4b', '#4d8a5b', '#8a6d3b'],
]
const userColor = '#1f6f4a'
const otherColor = '#85887e' // for all further series together

/**
 * The color of each series. Agents and groups have theirs by their place in the account, so it is the same in every chart and
 * span; only if two in one chart had the same one does the younger get the next that is free.
 */
export function colorsOf(series: readonly Pick<SpendingSeries, 'kind' | 'order'>[]): string[] {
  const ofOrder = new Map<number, string>()
  const taken = new Set<string>()
  for (const order of series.flatMap(({ order }) => (order === null ? [] : [order])).sort((a, b) => a - b)) {
    const first = order % colors.length
    const choice = [...colors.slice(first), ...colors.slice(0, first)]
    const color = choice.find((one) => !taken.has(one)) ?? otherColor
    taken.add(color)
    ofOrder.set(order, color)
  }
  return series.map(({ kind, order }) =>
    kind === 'user' ? userColor : order === null ? otherColor : ofOrder.get(order)!,
  )
}

/** The largest amount; zero if there are none. */
export function largest(amounts: readonly bigint[]): bigint {
  let most = 0n
  for (const amount of amounts) if (amount > most) most = amount
  return most
}
