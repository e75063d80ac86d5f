import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { BackLink } from '#web/components/BackLink.tsx'
import { Loaded, SkeletonRows } from '#web/components/states.tsx'
import { useTitle } from '#web/lib/useTitle.ts'
import { isChecked, type Run, refreshRows, runQuery } from '#web/queries/runs.ts'
import { other } from '../../-shell/pages.ts'
import { RunBar } from './RunBar.tsx'
import { RunHead } from './RunHead.tsx'
import { RunRows } from './RunRows.tsx'

/** The page of one run, to which messages link. Opening it decides nothing. */
export default function RunPage({ id }: { id: string }) {
  const query = useQuery(runQuery(id))
  useTitle(query.data?.title ?? 'Run')
  return (
    <div className="mx-auto max-w-[960px]">
      <BackLink to={other('runs')}>Runs</BackLink>
      <Loaded query={query} fallback="Failed to load the run" inCard loading={<SkeletonRows rows={8} />}>
        {(run) => <OneRun key={run.id} run={run} />}
      </Loaded>
    </div>
  )
}

function OneRun({ run }: { run: Run }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { status } = run
  const before = useRef(status)
  useEffect(() => {
    // The button that did it is gone, and the focus with it.
    if (before.current !== status && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true })
    before.current = status
  }, [status])
  useFreshRows(run)
  return (
    <>
      <RunHead run={run} heading={heading} />
      {isChecked(run) && <RunRows run={run} />}
      <RunBar run={run} />
    </>
  )
}

/** Reads the rows again when the figures of the run say that they have changed. */
function useFreshRows(run: Run): void {
  const { id, status, checked, paid, awaitingClaim, onTheirWay, notPaid, failed, payableAgain } = run
  const figures = [status, checked, paid, awaitingClaim, onTheirWay, notPaid, failed, payableAgain]
  const stamp = JSON.stringify(figures)
  const last = useRef(stamp)
  useEffect(() => {
    if (last.current === stamp) return
    last.current = stamp
    void refreshRows(id)
  }, [id, stamp])
}
