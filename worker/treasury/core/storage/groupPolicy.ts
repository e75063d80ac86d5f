import type { GroupPolicy } from '#domain/policy.ts'
import { parseRules } from '#domain/rules/values.ts'
import type { Scope } from '#domain/scopes.ts'
import { fromColumn } from './columns.ts'
import type { AgentRow, GroupRow } from './rows.ts'

/** The policy in a group's row, for the rules in worker/domain. `agent` is the caller, null for the owner. */
export function groupPolicy(group: GroupRow, agent: AgentRow | null, accountPaused: boolean): GroupPolicy {
  const { values: rules, unknown } = parseRules(group.rules)
  return {
    name: group.name,
    budget: {
      limit: group.spend_limit === null ? null : fromColumn(group.spend_limit),
      spent: fromColumn(group.spent),
      held: fromColumn(group.held),
    },
    scopes: JSON.parse(group.scopes) as Scope[],
    paused: group.paused === 1,
    agentPaused: agent?.paused === 1,
    accountPaused,
    unclaimed: fromColumn(group.unclaimed),
    rules,
    ...(unknown !== null && { unknownRule: unknown }),
  }
}

/** The rules in a group's row that the code knows. */
export const rulesOf = (group: Pick<GroupRow, 'rules'>) => parseRules(group.rules).values
