import { ChevronRight } from 'lucide-react'
import { Chip } from '#web/components/Chip.tsx'
import { RowLink } from '#web/components/DataTable.tsx'
import { useNow } from '#web/components/Time.tsx'
import { lastActivityText, plural } from '#web/lib/format.ts'
import type { PolicyGroupWithAgents } from '#web/queries/agents.ts'

/** The sidebar: all groups with their counts and last activity. */
export function GroupList(props: { groups: PolicyGroupWithAgents[]; selectedId: string }) {
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
                {plural(agentCount, 'agent')}, {plural(totalTransactions, 'payment')}
              </span>
              <span className="block text-muted text-small">Last activity: {lastActivityText(lastActivity, now)}</span>
            </RowLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
