import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, Plus } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader, Syncing } from '#web/components/Card.tsx'
import { type Column, CompactRow, DataTable, RowLink } from '#web/components/DataTable.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { RowTime } from '#web/components/Time.tsx'
import { plural } from '#web/lib/format.ts'
import { flagsOf, textsOf } from '#web/lib/search.ts'
import { useSession } from '#web/lib/session.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { useWhileHere } from '#web/lib/useWhileHere.ts'
import { ShowOlder } from '#web/lists/ShowOlder.tsx'
import { useMay } from '#web/queries/people.ts'
import { endedRunsQuery, openRunsQuery, type RunItem } from '#web/queries/runs.ts'
import { other } from '../../-shell/pages.ts'
import { saveTemplate } from './newRun.ts'
import { RunState } from './RunState.tsx'
import { personText, runPath, totalOf, unpaidRows } from './words.ts'

const NewRunDialog = lazy(() => import('./NewRunDialog.tsx'))

/** `instead`: the draft that the new run replaces. */
const read = (search: Record<string, unknown>) => ({ ...flagsOf(search, ['create']), ...textsOf(search, ['instead']) })

/** All payout runs: open ones first, then ended ones, each newest first. */
export default function RunsPage() {
  const search = read(useSearch({ strict: false }))
  const goTo = useNavigate()
  const open = useQuery(openRunsQuery)
  const ended = useInfiniteQuery(endedRunsQuery)
  const mayCreate = useMay('runs.create')
  useTitle('Runs')

  const setSearch = (next: ReturnType<typeof read>) => goTo({ to: other('runs'), search: next as never })
  const whileHere = useWhileHere()
  const create = () => setSearch({ create: true })
  const runs = open.data && ended.data && rowsOf([...open.data, ...ended.data.pages.flatMap((page) => page.runs)])
  const error = open.error ?? ended.error
  return (
    <>
      <PageHeader
        title="Runs"
        aside={<Syncing active={(open.isFetching || ended.isFetching) && !open.isPending && !ended.isPending} />}
      >
        {mayCreate && runs?.length !== 0 && (
          <Button onClick={create}>
            <Plus aria-hidden="true" className="size-4" />
            New run
          </Button>
        )}
      </PageHeader>
      <Card className="overflow-hidden">
        {runs ? (
          runs.length === 0 ? (
            <NoRuns onCreate={mayCreate ? create : null} />
          ) : (
            <>
              <RunTable runs={runs} />
              <ShowOlder list={ended} />
            </>
          )
        ) : error ? (
          <ErrorState error={error} fallback="Failed to load runs" onRetry={() => [open.refetch(), ended.refetch()]} />
        ) : (
          <SkeletonRows rows={6} />
        )}
      </Card>
      <Suspense>
        {(search.create || search.instead) && mayCreate && (
          <NewRunDialog insteadOf={search.instead ?? null} onClose={() => whileHere(() => setSearch({}))} />
        )}
      </Suspense>
    </>
  )
}

/** Lists are read at different times, so a run that ended in between may be in both. */
const rowsOf = (all: RunItem[]): RunItem[] => all.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i)

function NoRuns({ onCreate }: { onCreate: (() => void) | null }) {
  return (
    <EmptyState
      title="No runs yet"
      action={
        <div className="flex flex-wrap justify-center gap-3">
          <Button look="secondary" onClick={saveTemplate}>
            <Download aria-hidden="true" className="size-4" />
            Download template
          </Button>
          {onCreate && <Button onClick={onCreate}>New run</Button>}
        </div>
      }
    >
      A run pays up to 1,000 people from one file: by address, email or phone number. Every row is checked first, one
      decision covers them all, and each person is paid once.
    </EmptyState>
  )
}

const hrefOf = ({ id }: RunItem) => runPath(id)
const labelOf = (run: RunItem) => `Open ${run.title}, ${totalOf(run)}`

function RunTable({ runs }: { runs: RunItem[] }) {
  return (
    <DataTable
      label="Runs"
      columns={columns}
      rows={runs}
      keyOf={({ id }) => id}
      compact={(run) => (
        <CompactRow
          href={hrefOf(run)}
          label={labelOf(run)}
          title={run.title}
          amount={<Total run={run} />}
          notes={[
            unpaidRows(run) > 0 ? <Unpaid key="unpaid" run={run} /> : null,
            peopleText(run),
            <Maker key="maker" run={run} />,
          ]}
          time={<RowTime iso={run.createdAt} />}
          isDone={run.status === 'DONE'}
          state={<RunState run={run} />}
        />
      )}
    />
  )
}

const Total = ({ run }: { run: RunItem }) => <Amount value={run.total.amount} chain={run.wallet.chain} />
const peopleText = ({ people }: RunItem) => plural(people, 'person', 'people')

const Unpaid = ({ run }: { run: RunItem }) => (
  <span className="text-red">{unpaidRows(run).toLocaleString('en-US')} not paid</span>
)

function Maker({ run }: { run: RunItem }) {
  const by = personText(run.madeBy, useSession().user?.id ?? null)
  const isNamed = by !== 'you' && !run.madeBy.isAgent
  return <span className="wrap-anywhere">{isNamed ? by : by.replace(/^./, (letter) => letter.toUpperCase())}</span>
}

const columns: Column<RunItem>[] = [
  { header: 'Created', cell: (run) => <RowTime iso={run.createdAt} /> },
  {
    header: 'Title',
    cell: (run) => (
      <RowLink href={hrefOf(run)} aria-label={labelOf(run)} className="wrap-anywhere rounded-sm font-medium">
        {run.title}
      </RowLink>
    ),
  },
  { header: 'By', wideOnly: true, cell: (run) => <Maker run={run} /> },
  {
    header: 'State',
    cell: (run) => (
      <>
        <RunState run={run} />
        {unpaidRows(run) > 0 && (
          <p>
            <Unpaid run={run} />
          </p>
        )}
      </>
    ),
  },
  { header: 'People', align: 'right', cell: ({ people }) => people.toLocaleString('en-US') },
  { header: 'Total', align: 'right', cell: (run) => <Total run={run} /> },
]
