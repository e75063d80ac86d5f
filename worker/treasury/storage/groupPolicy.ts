import type { GroupPolicy } from '#domain/policy.ts'
import type { PeriodBudget } from '#domain/policyPeriod.ts'
import type { Scope } from '#domain/scopes.ts'
import { fromColumn } from './columns.ts'
import type { AgentRow, GroupRow } from './rows.ts'

/** The policy in a group's row, for the rules in worker/domain. `agent` is the caller, null for the owner. */
export function groupPolicy(group: GroupRow, agent: AgentRow | null, accountPaused: boolean): GroupPolicy {
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
    maxPayment: group.max_payment === null ? null : fromColumn(group.max_payment),
    period: periodBudget(group),
    unclaimed: {
      open: fromColumn(group.unclaimed),
      limit: group.max_unclaimed === null ? null : fromColumn(group.max_unclaimed),
    },
    emailDomains: group.email_domains === null ? null : (JSON.parse(group.email_domains) as string[]),
    phoneCodes: group.phone_codes === null ? null : (JSON.parse(group.phone_codes) as string[]),
    approvals: {
      approveAbove: group.approve_above === null ? null : fromColumn(group.approve_above),
      approveNewRecipient: group.approve_new_recipient === 1,
      approvalTtlHours: group.approval_ttl_hours,
      duplicateMinutes: group.duplicate_minutes,
    },
  }
}

const periodBudget = ({ period, period_limit, period_start, period_used }: GroupRow): PeriodBudget | null =>
  period === null || period_limit === null
    ? null
    : { period, limit: fromColumn(period_limit), startAt: period_start, used: fromColumn(period_used) }
