import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useContext, useEffect, useState } from 'react'
import type { Span } from '#domain/statistics.ts'
import { useUnit } from '#web/components/Amount.tsx'
import { type By, SpanChoice } from '#web/components/charts/SpanChoice.tsx'
import { SpendChart } from '#web/components/charts/SpendChart.tsx'
import { PaymentsLink } from '#web/components/PaymentsLink.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { savePreferences, shownPreferencesQuery } from '#web/queries/overview.ts'
import { spendingQuery } from '#web/queries/usage.ts'
import { Sparkline } from './Sparkline.tsx'
import { Figure } from './StatWidgets.tsx'
import { trendOf } from './trend.ts'
import { refreshMs, WidgetError, type WidgetProps, WidgetTitle } from './WidgetParts.tsx'

const names = { address: 'Address', contact: 'Contact', email: 'Email', phone: 'Phone', x402: 'Purchase' }

/** How recipients were paid, as bars relative to the most used method. */
export function Methods({ overview }: WidgetProps) {
  const { methods } = overview
  if (methods.length === 0) return <p className="m-auto text-muted">No payments yet.</p>
  const most = Math.max(...methods.map(({ count }) => count))
  return (
    <ul className="my-auto space-y-2.5">
      {methods.map(({ method, count, amount }) => (
        <li key={method}>
          <div className="flex justify-between gap-4 text-small">
            <PaymentsLink search={{ figure: `by_${method}` }} className="hover:underline">
              {names[method]}
            </PaymentsLink>
            <span className="text-muted tabular-nums">
              {count.toLocaleString('en-US')} · ${formatAmount(amount)}
            </span>
          </div>
          <div aria-hidden="true" className="mt-1 h-2 rounded-full bg-sunken">
            <div className="h-full rounded-full bg-green" style={{ width: `${Math.max(2, (count * 100) / most)}%` }} />
          </div>
        </li>
      ))}
    </ul>
  )
}

/** What was spent in all, and in the last 30 days beside the 30 before. Without the days, the sum stands alone. */
export function TotalSpent({ overview }: WidgetProps) {
  const unit = useUnit()
  const spending = useQuery({ ...spendingQuery({ days: 30, by: 'agent' }), refetchInterval: refreshMs })
  const trend = spending.data && trendOf(spending.data)
  return (
    <Figure
      value={`$${formatAmount(overview.totalSpent)}`}
      title={`${formatAmount(overview.totalSpent)} ${unit}, without reclaimed payouts`}
      picture={!spending.error && <Sparkline trend={trend} />}
      note={trend ? trend.text : spending.error ? 'Without reclaimed payouts' : '\u00a0'}
      page="transactions"
      pageShows="payments"
      search={{ figure: 'completed' }}
    />
  )
}

/** Spending per day: the last seven days, unless more are chosen, which is stored. */
export function Transfers() {
  const [chosen, setChosen] = useState<Span | null>(null)
  const stored = useQuery(shownPreferencesQuery).data?.transfersDays
  const days = chosen ?? stored ?? 7
  const [by, setBy] = useState<By>('agent')
  const setTitle = useContext(WidgetTitle)
  const spending = useQuery({
    ...spendingQuery({ days, by }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  function choose(next: Span) {
    setChosen(next)
    savePreferences({ transfersDays: next }).catch(() => {
      // The chart keeps it until the page is left.
    })
  }
  useEffect(() => setTitle(days === 7 ? null : `${days}-Day Transfers`), [setTitle, days])
  return (
    <>
      <div className="mt-1 mb-1">
        <SpanChoice days={days} by={by} onDays={choose} onBy={setBy} isSmall />
      </div>
      {spending.data ? (
        <SpendChart spending={spending.data} by={by} chain="base" fills />
      ) : spending.error ? (
        <WidgetError error={spending.error} onRetry={() => spending.refetch()} />
      ) : (
        <output aria-label="Loading" className="block">
          <Skeleton className="h-28" />
        </output>
      )}
    </>
  )
}
