import { Amount } from '#web/components/Amount.tsx'
import { Card } from '#web/components/Card.tsx'
import { RowLink } from '#web/components/DataTable.tsx'
import { plural } from '#web/lib/format.ts'
import { useSession } from '#web/lib/session.ts'
import type { RunItem } from '#web/queries/runs.ts'
import { isPrepared, personText, runPath, totalOf } from './words.ts'

/** Runs that wait for a decision, where people look for what they have to decide. Nothing if there are none. */
export function WaitingRuns(props: { runs: RunItem[] }) {
  const myId = useSession().user?.id ?? null
  const waiting = props.runs.filter((run) => run.status === 'WAITING' || isPrepared(run))
  if (waiting.length === 0) return null
  return (
    <Card aria-labelledby="waiting-runs" className="mb-5 overflow-hidden">
      <h2 id="waiting-runs" className="px-5 pt-4 pb-2 font-semibold">
        Runs that wait
      </h2>
      <ul aria-labelledby="waiting-runs" className="divide-y divide-hairline border-hairline border-t">
        {waiting.map((run) => (
          <li
            key={run.id}
            className="relative flex flex-wrap items-center justify-between gap-x-4 px-5 py-2.5 hover:bg-paper/60"
          >
            <div className="min-w-0">
              <p className="wrap-anywhere font-medium">{run.title}</p>
              <p className="text-muted text-small">
                {plural(run.total.rows, 'payment')} to {plural(run.people, 'person', 'people')},{' '}
                {run.madeBy.isAgent ? 'prepared' : 'made'} by {personText(run.madeBy, myId)}
              </p>
            </div>
            <Amount value={run.total.amount} chain={run.wallet.chain} />
            <RowLink
              href={runPath(run.id)}
              aria-label={`Decide: ${run.title}, ${totalOf(run)}`}
              className="absolute inset-0 outline-offset-[-3px]"
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
