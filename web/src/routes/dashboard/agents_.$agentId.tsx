import { createFileRoute } from '@tanstack/react-router'
import { searchOf } from '#web/lib/search.ts'
import { AgentPage } from './-agent/AgentPage.tsx'

export const Route = createFileRoute('/dashboard/agents_/$agentId')({
  validateSearch: (search: Record<string, unknown>) =>
    searchOf({ period: search.period === 'month' ? ('month' as const) : undefined }),
  component: Page,
})

function Page() {
  const { agentId } = Route.useParams()
  const { period } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <AgentPage
      key={agentId}
      agentId={agentId}
      period={period ?? 'week'}
      onPeriod={(chosen) => navigate({ search: chosen === 'month' ? { period: chosen } : {}, resetScroll: false })}
    />
  )
}
