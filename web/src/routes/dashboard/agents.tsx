import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { ChevronLeft, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Card, PageHeader } from '../../components/Card.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx'
import { useTitle } from '../../lib/hooks.ts'
import { defined, flagOf, textOf } from '../../lib/search.ts'
import { type CreatedAgent, groupsQuery, refreshGroups } from '../../queries/agents.ts'
import { GroupDetail } from './-agents/GroupDetail.tsx'
import { GroupList } from './-agents/GroupList.tsx'

export const Route = createFileRoute('/dashboard/agents')({
  validateSearch: (search: Record<string, unknown>) =>
    defined({
      group: textOf(search.group),
      newGroup: flagOf(search.newGroup),
      newAgent: flagOf(search.newAgent),
    }),
  component: AgentsPage,
})

const NewGroupDialog = lazy(() => import('./-agents/NewGroupDialog.tsx'))
const NewAgentDialog = lazy(() => import('./-agents/NewAgentDialog.tsx'))
const CredentialsDialog = lazy(() => import('./-agents/CredentialsDialog.tsx'))

const refreshMs = 30_000 // 30 seconds

function AgentsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  // Secrets live in this state alone and are gone once the dialog closes.
  const [created, setCreated] = useState<CreatedAgent | null>(null)
  const groups = useQuery({ ...groupsQuery, refetchInterval: refreshMs })
  useTitle('Agents')

  const selected = groups.data?.find(({ policyGroup }) => policyGroup.id === search.group) ?? groups.data?.[0]
  const here = search.group ? { group: search.group } : {}
  const close = () => navigate({ search: here })
  const newGroup = () => navigate({ search: { ...here, newGroup: true } })

  return (
    <>
      <PageHeader title="Agents">
        <Button look="secondary" onClick={newGroup}>
          <Plus aria-hidden="true" className="size-4" />
          New Policy Group
        </Button>
        <Button disabled={!selected} onClick={() => navigate({ search: { ...here, newAgent: true } })}>
          <Plus aria-hidden="true" className="size-4" />
          New Agent
        </Button>
      </PageHeader>
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
              <GroupDetail
                group={selected}
                onNewAgent={() => navigate({ search: { group: selected.policyGroup.id, newAgent: true } })}
              />
            </div>
          </div>
        ) : (
          <Card>
            <EmptyState
              title="No policy groups yet"
              action={<Button onClick={newGroup}>Create Your First Policy Group</Button>}
            >
              A policy group gives agents a budget, a wallet, and rules about whom they may pay. Agents belong to one.
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
      <Suspense>
        {search.newGroup && (
          <NewGroupDialog onClose={close} onCreated={(group) => navigate({ search: { group: group.id } })} />
        )}
        {search.newAgent && groups.data && !created && (
          <NewAgentDialog
            groups={groups.data}
            groupId={selected?.policyGroup.id}
            onClose={close}
            onCreated={(agent) => {
              setCreated(agent)
              navigate({ search: { group: agent.agent.policyGroupId } })
            }}
          />
        )}
        {created && (
          <CredentialsDialog
            created={created}
            onClose={() => {
              setCreated(null)
              refreshGroups()
            }}
          />
        )}
      </Suspense>
    </>
  )
}
