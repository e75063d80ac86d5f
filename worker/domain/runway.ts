/**
 * How long an account that pays gas lasts, from its balances alone: they also show what no receipt does, such as the
 * network's fee for data.
 */

/** The balance in wei `at` an instant (ms). */
export type BalanceSample = { at: number; balance: bigint }

const windowMs = 6 * 3_600_000 // 6 hours
const everyMs = 30_000 // 30 seconds
/** Shorter than this says little about the pace. */
const minSpanMs = 10 * 60_000 // 10 minutes

/** The samples of the last six hours with this one, unless the last one is just as new. */
export function withSample(samples: readonly BalanceSample[], sample: BalanceSample): readonly BalanceSample[] {
  const last = samples.at(-1)
  if (last && sample.at - last.at < everyMs) return samples
  return [...samples.filter(({ at }) => at > sample.at - windowMs), sample]
}

/** Hours that the last balance lasts. Null: nothing was spent, or ten minutes are not known yet. Top-ups do not count. */
export function runwayHours(samples: readonly BalanceSample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at - first.at < minSpanMs) return null
  let spent = 0n
  for (const [i, { balance }] of samples.entries()) {
    const before = samples[i - 1]?.balance ?? balance
    if (balance < before) spent += before - balance
  }
  if (spent === 0n) return null
  return (Number(last.balance) / Number(spent)) * ((last.at - first.at) / 3_600_000)
}
