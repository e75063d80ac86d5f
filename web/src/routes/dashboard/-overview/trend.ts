import { capitalized } from '#domain/capitalized.ts'
import { saturatingSub } from '#domain/money.ts'
import type { Overview } from '#schemas/overview.ts'
import type { Spending } from '#schemas/usage.ts'
import { dollars, microOf } from '#web/lib/amounts.ts'

/** Micro-USDC of each day, and of as many days before (none for a balance), oldest first; both together in words. */
export type Trend = { days: bigint[]; before: bigint[]; text: string }

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

/** The last days of an account beside those before. Percentages are truncated. */
export function trendOf(spending: Spending): Trend {
  const parts = spending.series.map(({ amounts }) => amounts.map(microOf))
  const days = spending.days.map((_, day) => sum(parts.map((amounts) => amounts[day]!)))
  const before = spending.previous.map(microOf)
  return { days, before, text: `${dollars(sum(days))} in ${days.length} days, ${comparison(sum(days), sum(before))}` }
}

/**
 * The balance at the end of each day, going back from the current one, beside that before the first day. Null while there was
 * no money at all.
 */
export function balanceTrendOf({ totalBalance, balanceChanges }: Overview): Trend | null {
  const now = microOf(totalBalance)
  let balance: bigint = now
  const ends = balanceChanges.toReversed().map((change) => {
    const end = balance
    balance = saturatingSub(balance, signedMicroOf(change))
    return end
  })
  const days = ends.reverse()
  if (balance === 0n && days.every((end) => end === 0n)) return null
  const since = `${days.length} days ago`
  return { days, before: [], text: balance === 0n ? `Nothing ${since}` : capitalized(comparison(now, balance, since)) }
}

const signedMicroOf = (change: string) => (change.startsWith('-') ? -microOf(change.slice(1)) : microOf(change))

/** '12% more than before'. A percentage of nothing has no meaning, and one of more than a thousand is hard to picture. */
function comparison(now: bigint, before: bigint, since = 'before'): string {
  if (before === 0n) return now === 0n ? 'as before' : 'nothing before'
  if (now >= before * 10n) return `${now / before} times as much as ${since}`
  const percent = ((now > before ? now - before : before - now) * 100n) / before
  if (percent === 0n) return `as much as ${since}`
  return `${percent}% ${now > before ? 'more' : 'less'} than ${since}`
}
