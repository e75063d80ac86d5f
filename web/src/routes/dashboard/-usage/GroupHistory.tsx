import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Span } from '#domain/statistics.ts'
import type { BudgetChange } from '#schemas/usage.ts'
import { Button } from '#web/components/Button.tsx'
import { BudgetChart } from '#web/components/charts/BudgetChart.tsx'
import { SpanChoice } from '#web/components/charts/SpanChoice.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { budgetHistoryQuery } from '#web/queries/usage.ts'

/** A group's budget over time, and its changes. */
export function GroupHistory(props: { groupId: string; name: string }) {
  const [days, setDays] = useState<Span>(30)
  const history = useInfiniteQuery({ ...budgetHistoryQuery(props.groupId, days), placeholderData: keepPreviousData })
  const [newest] = history.data?.pages ?? []
  const changes = history.data?.pages.flatMap((page) => page.changes) ?? []
  return (
    <section aria-label={`Budget history of ${props.name}`}>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-medium">Budget history</h3>
        <SpanChoice days={days} onDays={setDays} />
      </div>
      {newest ? (
        <>
          <BudgetChart days={newest.days} />
          <ol aria-label="Changes of the budget" className="mt-3 divide-y divide-hairline">
            {changes.map((change) => (
              <li key={change.id} className="flex flex-wrap justify-between gap-x-4 py-2 text-small">
                <span>{wordsOf(change)}</span>
                <span className="text-muted">
                  <Time iso={change.at} as="date" />
                </span>
              </li>
            ))}
          </ol>
          {history.hasNextPage && (
            <Button
              look="quiet"
              className="-ml-4"
              busy={history.isFetchingNextPage}
              onClick={() => history.fetchNextPage()}
            >
              Show earlier changes
            </Button>
          )}
        </>
      ) : history.error ? (
        <ErrorState error={history.error} onRetry={() => history.refetch()} />
      ) : (
        <Skeleton className="h-72" />
      )}
    </section>
  )
}

function wordsOf({ kind, amount, limit }: BudgetChange): string {
  const now = limit === null ? 'no limit' : `$${formatAmount(limit)}`
  if (kind === 'topped_up' && amount !== null) return `Topped up by $${formatAmount(amount)} to ${now}`
  return kind === 'created' ? `Created with ${limit === null ? now : `a limit of ${now}`}` : `Changed to ${now}`
}
