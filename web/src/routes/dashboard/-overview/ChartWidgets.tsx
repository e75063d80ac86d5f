import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useContext, useEffect, useState } from 'react'
import type { Span } from '#domain/statistics.ts'
import { type By, SpanChoice } from '#web/components/charts/SpanChoice.tsx'
import { SpendChart } from '#web/components/charts/SpendChart.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { spendingQuery } from '#web/queries/usage.ts'
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
            <span>{names[method]}</span>
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

/** Spending per day: the last seven days, unless more are chosen. */
export function Transfers() {
  const [days, setDays] = useState<Span>(7)
  const [by, setBy] = useState<By>('agent')
  const setTitle = useContext(WidgetTitle)
  const spending = useQuery({
    ...spendingQuery({ days, by }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  useEffect(() => setTitle(days === 7 ? null : `${days}-Day Transfers`), [setTitle, days])
  return (
    <>
      <div className="mt-1 mb-1">
        <SpanChoice days={days} by={by} onDays={setDays} onBy={setBy} isSmall />
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
