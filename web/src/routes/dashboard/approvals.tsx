import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Amount } from '#web/components/Amount.tsx'
import { Card, PageHeader, Syncing } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { type Column, CompactRow, DataTable, RowLink } from '#web/components/DataTable.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { notesLine } from '#web/components/Notes.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#web/components/states.tsx'
import { Ago, RowTime, useNow } from '#web/components/Time.tsx'
import { useTitle } from '#web/lib/useTitle.ts'
import { ShowOlder } from '#web/lists/ShowOlder.tsx'
import { type Approval, approvalsQuery } from '#web/queries/approvals.ts'
import { useMay } from '#web/queries/people.ts'
import { openRunsQuery } from '#web/queries/runs.ts'
import { amountOf, stateOf, timeLeft, useRecipient } from './-approvals/words.ts'
import { WaitingRuns } from './-runs/WaitingRuns.tsx'

export const Route = createFileRoute('/dashboard/approvals')({ component: ApprovalsPage })

function ApprovalsPage() {
  const list = useInfiniteQuery(approvalsQuery)
  const mayEdit = useMay('policies.editGroup')
  const mayDecideRuns = useMay('runs.approve')
  // They are above the list, which therefore appears with them.
  const runs = useQuery({ ...openRunsQuery, enabled: mayDecideRuns })
  useTitle('Approvals')
  // Pages are loaded at different times, so an approval that ended in between may be on two of them.
  const all = list.data?.pages.flatMap(({ approvals }) => approvals)
  const rows = all?.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i)
  return (
    <>
      <PageHeader title="Approvals" aside={<Syncing active={list.isFetching && !list.isPending} />} />
      {mayDecideRuns && list.data && runs.data && <WaitingRuns runs={runs.data} />}
      <Card className="overflow-hidden">
        {rows && !runs.isLoading ? (
          rows.length === 0 ? (
            <EmptyState title="No requests from agents">
              A policy group can ask you before large payments, before first payments to a recipient, and before repeats
              <span>
                {mayEdit ? ': edit the group under ' : '. Its owner sets that under '}
                <TextLink to="/dashboard/agents">Agents</TextLink>
              </span>
              .
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Approvals"
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                compact={(approval) => <Compact approval={approval} />}
              />
              <ShowOlder list={list} />
            </>
          )
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={() => list.refetch()} />
        ) : (
          <SkeletonRows rows={6} />
        )}
      </Card>
    </>
  )
}

const hrefOf = ({ id }: Approval) => `/dashboard/approvals/${id}`
const useVerb = ({ status }: Approval) => (useMay('approvals.approve') && status === 'PENDING' ? 'Decide' : 'View')
/** Names the recipient as the row does. */
const useLabel = (approval: Approval) =>
  `${useVerb(approval)}: ${approval.agent.name}, ${amountOf(approval)} to ${useRecipient(approval)}`

const Recipient = ({ approval }: { approval: Approval }) => useRecipient(approval)

function State({ approval }: { approval: Approval }) {
  const { label, tone } = stateOf(approval)
  return <Chip tone={tone}>{label}</Chip>
}

/** The time left for a decision or, once the approval has ended, when it ended. */
function When({ approval }: { approval: Approval }) {
  const left = timeLeft(approval.expiresAt, useNow())
  return approval.status === 'PENDING' ? (
    <span className="whitespace-nowrap">{left ? `${left} left` : 'Time is up'}</span>
  ) : (
    <Ago iso={approval.endedAt ?? approval.askedAt} />
  )
}

const columns: Column<Approval>[] = [
  { header: 'Requested', cell: (approval) => <RowTime iso={approval.askedAt} /> },
  { header: 'Agent', cell: ({ agent }) => <span className="wrap-anywhere">{agent.name}</span> },
  {
    header: 'Recipient',
    cell: (approval) => (
      <>
        <span className="wrap-anywhere">
          <Recipient approval={approval} />
        </span>
        <p className="line-clamp-1 max-w-64 wrap-anywhere text-muted empty:hidden">{notesLine(approval)}</p>
      </>
    ),
  },
  {
    header: 'Amount',
    align: 'right',
    cell: ({ amount, wallet }) => <Amount value={amount} chain={wallet.chain} />,
  },
  {
    header: 'State',
    cell: (approval) => (
      <>
        <State approval={approval} />
        <p className="text-muted">
          <When approval={approval} />
        </p>
      </>
    ),
  },
  {
    header: 'Actions',
    align: 'right',
    cell: (approval) => <DetailLink approval={approval} />,
  },
]

const DetailLink = ({ approval }: { approval: Approval }) => (
  <RowLink
    href={hrefOf(approval)}
    aria-label={useLabel(approval)}
    className="inline-flex h-8 items-center rounded-control px-3 font-medium text-green hover:bg-sunken pointer-coarse:h-11"
  >
    {useVerb(approval)}
  </RowLink>
)

/** A row on a phone. */
const Compact = ({ approval }: { approval: Approval }) => (
  <CompactRow
    href={hrefOf(approval)}
    label={useLabel(approval)}
    title={approval.agent.name}
    amount={<Amount value={approval.amount} chain={approval.wallet.chain} />}
    notes={[
      <Recipient key="recipient" approval={approval} />,
      <When key="when" approval={approval} />,
      notesLine(approval),
    ]}
    time={null}
    isDone={false}
    state={<State approval={approval} />}
  />
)
