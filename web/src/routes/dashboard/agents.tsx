import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ChevronLeft, CirclePause, FolderPlus, Pause, Plug, Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { dayMs } from '#domain/time.ts'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { EmptyState, ErrorState, SkeletonCard } from '#web/components/states.tsx'
import { searchOf } from '#web/lib/search.ts'
import { useTitle } from '#web/lib/useTitle.ts'
import { useWhileHere } from '#web/lib/useWhileHere.ts'
import { accountQuery, groupsQuery } from '#web/queries/agents.ts'
import { useAllowed } from '#web/queries/people.ts'
import { other } from '../-shell/pages.ts'
import { allowedDialogs } from './-agents/allowedDialogs.ts'
import { type Dialogs, dialogSearch } from './-agents/dialogs.ts'
import { GroupList } from './-agents/GroupList.tsx'
import { GroupDetail } from './-agents/lazyGroupDetail.ts'
import { account, PausedNotice } from './-agents/pausing.tsx'
import { NextStepSlot } from './-overview/NextStepSlot.tsx'

export const Route = createFileRoute('/dashboard/agents')({
  validateSearch: dialogSearch,
  component: AgentsPage,
})

const AgentDialogs = lazy(() => import('./-agents/AgentDialogs.tsx'))
const ConnectedApps = lazy(() => import('./-agents/ConnectedApps.tsx'))

const refreshMs = 30_000 // 30 seconds

/** The rules were restored within the last week. */
const isRecent = (at: string | undefined) => at !== undefined && Date.now() - Date.parse(at) < 7 * dayMs

function AgentsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const whileHere = useWhileHere()
  const isAllowed = useAllowed()
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

  // In a narrow window, list and group replace each other, and the link that was followed is hidden.
  const column = useRef<HTMLDivElement>(null)
  const chosen = useRef(search.group)
  useEffect(() => {
    if (chosen.current === search.group) return
    chosen.current = search.group
    // The browser itself takes the focus from a hidden element, but only after a frame.
    const active = document.activeElement
    if (active !== document.body && active?.checkVisibility()) return
    const shown = search.group ? column.current : document.getElementById('content')
    shown?.focus({ preventScroll: true })
  }, [search.group])

  return (
    <>
      <PageHeader title="Agents">
        {(!groups.data || agentCount > 0) && !paused && isAllowed('policies.pause') && (
          <Button
            look="secondary"
            className="relative"
            data-small=""
            title="Pause All Agents"
            disabled={!groups.data}
            onClick={() => open({ pause: 'account' })}
          >
            <Pause aria-hidden="true" className="size-4" />
            <span className="max-lg:sr-only">Pause All Agents</span>
          </Button>
        )}
        {isAllowed('connections.allow') && (
          <Link
            to={other('assistants')}
            className={buttonClass('secondary', 'relative')}
            data-small=""
            title="Connect an Assistant"
          >
            <Plug aria-hidden="true" className="size-4" />
            <span className="max-lg:sr-only">Connect an Assistant</span>
          </Link>
        )}
        {isAllowed('policies.createGroup') && (
          <Button look="secondary" className="relative" data-small="" onClick={() => open({ newGroup: true })}>
            <FolderPlus aria-hidden="true" className="size-4" />
            <span className="max-sm:sr-only">New Policy Group</span>
          </Button>
        )}
        {isAllowed('policies.createAgent') && (
          <GatedButton
            missing={selected ? null : 'Create a policy group first: every agent belongs to one.'}
            onClick={() => open({ newAgent: true })}
          >
            <Plus aria-hidden="true" className="size-4" />
            New Agent
          </GatedButton>
        )}
      </PageHeader>
      <NextStepSlot />
      {state?.suspended && (
        <p role="status" className="mb-4 flex items-center gap-2 rounded-control bg-amber-tint px-4 py-2">
          <CirclePause aria-hidden="true" className="size-5 shrink-0 text-amber" />
          The operator has suspended this account. All calls by agents are refused; you can still reclaim payouts and
          withdraw.
        </p>
      )}
      {isRecent(state?.restored?.at) && groups.data?.some(({ policyGroup }) => policyGroup.status === 'paused') && (
        <Notice tone="warning" className="mb-4">
          This account was restored from a backup. <TextLink to={other('restored')}>Review the rules</TextLink> of each
          group before you resume it.
        </Notice>
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
            {/* biome-ignore lint/a11y/useSemanticElements: no form, which a fieldset would suggest */}
            <div
              ref={column}
              role="group"
              aria-labelledby="group-name"
              tabIndex={-1}
              className={clsx('outline-none', !search.group && 'max-lg:hidden')}
            >
              <Link
                to="/dashboard/agents"
                search={{}}
                className="mb-3 inline-flex min-h-8 items-center gap-1 rounded-sm text-green lg:hidden"
              >
                <ChevronLeft aria-hidden="true" className="size-4" />
                All policy groups
              </Link>
              <Suspense fallback={<SkeletonCard className="h-[30rem]" lines={6} />}>{detail}</Suspense>
            </div>
          </div>
        ) : (
          <Card>
            <EmptyState
              title="No policy groups yet"
              action={
                isAllowed('policies.createGroup') && (
                  <Button onClick={() => open({ newGroup: true })}>Create Your First Policy Group</Button>
                )
              }
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
          <SkeletonCard className="h-60" lines={5} />
          <div className="space-y-4 max-lg:hidden">
            <SkeletonCard className="h-[30rem]" lines={6} />
            <SkeletonCard className="h-44" />
          </div>
        </output>
      )}
      <Suspense>
        {groups.data && <ConnectedApps />}
        <AgentDialogs
          search={allowedDialogs(search, isAllowed)}
          groups={groups.data}
          selected={selected}
          close={() => whileHere(() => navigate({ search: here, replace: true }))}
          show={(groupId, agentId, dialog) =>
            navigate({ search: { ...searchOf({ group: groupId, agent: agentId }), ...dialog }, replace: true })
          }
        />
      </Suspense>
    </>
  )
}
