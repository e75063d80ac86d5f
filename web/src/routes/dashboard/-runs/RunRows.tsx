import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Pills } from '#web/components/Pills.tsx'
import { ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { textsOf } from '#web/lib/search.ts'
import { type Run, runRowsQuery, type ShownRows } from '#web/queries/runs.ts'
import { RunRowItem } from './RunRowItem.tsx'
import { hasStarted, runPath, unpaidRows } from './words.ts'

const names: Record<ShownRows, string> = {
  ...{ all: 'All', problems: 'Problems', warnings: 'Warnings', not_paid: 'Not paid' },
}
const isShown = (text: string | undefined): text is ShownRows => text !== undefined && Object.hasOwn(names, text)

/** Which rows the URL asks for. */
export function useShownRows(): ShownRows {
  const { rows } = textsOf(useSearch({ strict: false }) as Record<string, unknown>, ['rows'])
  return isShown(rows) ? rows : 'all'
}

const countsOf = (run: Run): Record<ShownRows, number> => ({
  ...{ all: run.rows, problems: run.leftOut, warnings: run.warnings, not_paid: unpaidRows(run) },
})

/** The rows with what the check says about them and what became of them. Further rows load as they are scrolled to. */
export function RunRows({ run }: { run: Run }) {
  const show = useShownRows()
  const list = useInfiniteQuery(runRowsQuery(run.id, show))
  const rows = list.data?.pages.flatMap((page) => page.rows)
  return (
    <Card aria-labelledby="rows" className="print:border-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 py-4 print:px-0">
        <h2 id="rows" className="font-semibold">
          Rows
        </h2>
        <RowFilter run={run} show={show} />
      </div>
      {rows ? (
        rows.length === 0 ? (
          <p className="border-hairline border-t px-5 py-10 text-center text-muted">{emptyText[show]}</p>
        ) : (
          <>
            <ol aria-label="Rows" className="border-hairline border-t">
              {rows.map((row) => (
                <RunRowItem key={row.n} row={row} chain={run.wallet.chain} isDecided={hasStarted(run)} />
              ))}
            </ol>
            <More list={list} />
          </>
        )
      ) : list.error ? (
        <ErrorState error={list.error} fallback="Failed to load the rows" onRetry={() => list.refetch()} />
      ) : (
        <div className="border-hairline border-t">
          <SkeletonRows rows={8} />
        </div>
      )}
    </Card>
  )
}

const emptyText: Record<ShownRows, string> = {
  all: 'This run has no rows.',
  problems: 'No row has a problem.',
  warnings: 'There is no warning about any row.',
  not_paid: 'No row ended without being paid.',
}

function RowFilter({ run, show }: { run: Run; show: ShownRows }) {
  const navigate = useNavigate()
  const counts = countsOf(run)
  const offered = (Object.keys(names) as ShownRows[]).filter((name) => name !== 'not_paid' || hasStarted(run))
  return (
    <Pills
      legend="Show"
      value={show}
      options={offered.map((name) => [name, `${names[name]} ${counts[name].toLocaleString('en-US')}`])}
      onChange={(name) =>
        navigate({
          to: runPath(run.id),
          search: (name === 'all' ? {} : { rows: name }) as never,
          replace: true,
          resetScroll: false,
        })
      }
      className="print:hidden"
    />
  )
}

type List = Pick<
  UseInfiniteQueryResult,
  'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
>

/** The next rows, which begin to load a screen before they come into view. The button is for those whose loading failed. */
function More({ list }: { list: List }) {
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const isIdle = hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useNear(end, isIdle, () => void fetchNextPage())
  if (!hasNextPage) return null
  return (
    <div ref={end} className="border-hairline border-t px-5 py-3 text-center print:hidden">
      <Button look="quiet" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {isFetchNextPageError ? 'Try again' : 'Show more rows'}
      </Button>
    </div>
  )
}

function useNear(element: RefObject<HTMLElement | null>, isOn: boolean, act: () => void): void {
  const actNow = useEffectEvent(act)
  useEffect(() => {
    if (!isOn || !element.current) return
    const observer = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && actNow(), {
      rootMargin: '1200px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isOn])
}
