import { hourMs } from './time.ts'

/**
 * Estimates how long the balance of a gas-paying account lasts. Uses balances only, because they include costs that receipts
 * do not show, such as the network's data fee.
 */

/** The balance in wei at the time `at` (ms). */
export type BalanceSample = { at: number; balance: bigint }

const windowMs = 6 * hourMs
const everyMs = 30_000 // 30 seconds
/** A shorter span says little about the rate. */
const minSpanMs = 10 * 60_000 // 10 minutes

/** Adds the sample, unless the last one is recent enough, and drops samples older than six hours. */
export function withSample(samples: readonly BalanceSample[], sample: BalanceSample): readonly BalanceSample[] {
  const last = samples.at(-1)
  if (last && sample.at - last.at < everyMs) return samples
  return [...samples.filter(({ at }) => at > sample.at - windowMs), sample]
}

/** Hours that the last balance lasts. Null if nothing was spent or the samples span under ten minutes. Ignores top-ups. */
export function runwayHours(samples: readonly BalanceSample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at - first.at < minSpanMs) return null
  let spent = 0n
  for (const [i, { balance }] of samples.entries()) {
    const before = samples[i - 1]?.balance ?? balance
    if (balance < before) spent += before - balance
  }
  if (spent === 0n) return null
  return Number((last.balance * BigInt(last.at - first.at)) / spent) / hourMs
}
