import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, CirclePause, Pause, Plus } from 'lucide-react'
import { useCallback, useDeferredValue, useMemo } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { RowLink } from '#web/components/DataTable.tsx'
import { EmptyState, ErrorState, Skeleton } from '#web/components/states.tsx'
import { useNow } from '#web/components/Time.tsx'
import { lastActivityText, plural } from '#web/lib/format.ts'
import { searchOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { accountQuery, groupsQuery, type PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { AgentDialogs } from './-agents/AgentDialogs.tsx'
import { type Dialogs, dialogSearch } from './-agents/dialogs.ts'
import { GroupDetail } from './-agents/GroupDetail.tsx'
import { account, PausedNotice } from './-agents/pausing.tsx'

export const Route = createFileRoute('/dashboard/agents')({
  validateSearch: dialogSearch,
  component: AgentsPage,
})

const refreshMs = 30_000 // 30 seconds

function AgentsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const groups = useQuery({ ...groupsQuery, refetchInterval: refreshMs })
  const state = useQuery({ ...accountQuery, refetchInterval: refreshMs }).data
  const paused = state?.paused ?? false
  useTitle('Agents')

  const agentCount = groups.data?.reduce((sum, group) => sum + group.agentCount, 0) ?? 0
  const selected =
    groups.data?.find(({ policyGroup }) => policyGroup.id === search.group) ??
    groups.data?.find(({ agents }) => agents.some(({ id }) => id === search.agent)) ??
    groups.data?.[0]
  const here = searchOf({ group: search.group, agent: search.agent })
  const open = useCallback(
    (dialog: Dialogs) => navigate({ search: ({ group, agent }) => ({ ...searchOf({ group, agent }), ...dialog }) }),
    [navigate],
  )
  // The list responds to a choice immediately; the group, which fills a page, is rendered at low priority.
  const shown = useDeferredValue(selected) ?? selected
  const agentId = useDeferredValue(search.agent)
  const detail = useMemo(
    () => shown && <GroupDetail key={shown.policyGroup.id} group={shown} agentId={agentId} open={open} />,
    [shown, agentId, open],
  )

  return (
    <>
      <PageHeader title="Agents">
        {agentCount > 0 && !paused && (
          <Button look="secondary" onClick={() => open({ pause: 'account' })}>
            <Pause aria-hidden="true" className="size-4" />
            Pause All Agents
          </Button>
        )}
        <Button look="secondary" onClick={() => open({ newGroup: true })}>
          <Plus aria-hidden="true" className="size-4" />
          New Policy Group
        </Button>
        <Button disabled={!selected} onClick={() => open({ newAgent: true })}>
          <Plus aria-hidden="true" className="size-4" />
          New Agent
        </Button>
      </PageHeader>
      {state?.suspended && (
        <p role="status" className="mb-4 flex items-center gap-2 rounded-control bg-amber-tint px-4 py-2">
          <CirclePause aria-hidden="true" className="size-5 shrink-0 text-amber" />
          The operator has suspended this account. All calls by agents are refused; you can still reclaim payouts and
          withdraw.
        </p>
      )}
      {paused && (
        <PausedNotice subject={account} className="mb-4">
          All agents of this account are paused: their calls are refused.
        </PausedNotice>
      )}
      {groups.data ? (
        selected ? (
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
            <div className={search.group ? 'max-lg:hidden' : ''}>
              <GroupList groups={groups.data} selectedId={selected.policyGroup.id} />
            </div>
            <div className={search.group ? '' : 'max-lg:hidden'}>
              <Link
                to="/dashboard/agents"
                search={{}}
                className="mb-3 inline-flex min-h-8 items-center gap-1 rounded-sm text-green lg:hidden"
              >
                <ChevronLeft aria-hidden="true" className="size-4" />
                All policy groups
              </Link>
              {detail}
            </div>
          </div>
        ) : (
          <Card>
            <EmptyState
              title="No policy groups yet"
              action={<Button onClick={() => open({ newGroup: true })}>Create Your First Policy Group</Button>}
            >
              A policy group gives its agents a budget, a wallet, and rules about recipients. Every agent belongs to
              one.
            </EmptyState>
          </Card>
        )
      ) : groups.error ? (
        <Card>
          <ErrorState error={groups.error} onRetry={() => groups.refetch()} />
        </Card>
      ) : (
        <output aria-label="Loading" className="grid grid-cols-1 gap-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
          <Skeleton className="h-48" />
          <Skeleton className="h-96" />
        </output>
      )}
      <AgentDialogs
        search={search}
        groups={groups.data}
        selected={selected}
        close={() => navigate({ search: here, replace: true })}
        show={(groupId, agentId) => navigate({ search: searchOf({ group: groupId, agent: agentId }), replace: true })}
      />
    </>
  )
}

/** The sidebar: all groups with their counts and last activity. */
function GroupList(props: { groups: PolicyGroupWithAgents[]; selectedId: string }) {
  const now = useNow()
  return (
    <nav aria-label="Policy groups">
      <ul className="divide-y divide-hairline overflow-hidden rounded-card border border-hairline bg-card">
        {props.groups.map(({ policyGroup, agentCount, totalTransactions, lastActivity }) => (
          <li key={policyGroup.id}>
            <RowLink
              href={`/dashboard/agents?group=${encodeURIComponent(policyGroup.id)}`}
              aria-current={policyGroup.id === props.selectedId ? 'page' : undefined}
              className="relative block px-4 py-3 -outline-offset-2 max-lg:pr-11 hover:bg-sunken lg:aria-[current]:bg-green-tint"
            >
              <ChevronRight
                aria-hidden="true"
                className="absolute top-1/2 right-4 size-4 -translate-y-1/2 text-muted lg:hidden"
              />
              <span className="flex items-center gap-2">
                <span className="min-w-0 flex-1 truncate font-medium">{policyGroup.name}</span>
                {policyGroup.status === 'paused' && <Chip tone="waiting">Paused</Chip>}
              </span>
              <span className="block text-muted text-small">
                {plural(agentCount, 'agent')}, {plural(totalTransactions, 'transaction')}
              </span>
              <span className="block text-muted text-small">Last activity: {lastActivityText(lastActivity, now)}</span>
            </RowLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
