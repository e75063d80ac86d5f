import { grantEndText, grantLeft } from '#domain/approval.ts'
import { formatUsdc } from '#domain/money.ts'
import { isoOf } from '#domain/time.ts'
import type { Grant } from '#schemas/approval.ts'
import type { BudgetRequest } from '#schemas/payment.ts'
import type { Context } from '../core/context.ts'
import { budgetView } from '../policies/budgetView.ts'
import { fromColumn } from '../storage/columns.ts'
import { agentName, groupName } from '../storage/names.ts'
import type { ApprovalRow, GrantRow, GroupRow } from '../storage/rows.ts'
import { grantTerms } from './grants.ts'
import { approvalReference } from './rows.ts'
import type { GrantsInput } from './rpcTypes.ts'

/** Overdue approvals do not count, even if the alarm has not ended them yet. */
export const pendingCount = ({ store, now }: Context): number =>
  store.first<{ n: number }>("SELECT count(*) AS n FROM approval WHERE status = 'PENDING' AND expires_at > ?", now())!.n

export function grantView(ctx: Context, row: GrantRow): Grant {
  const terms = grantTerms(row)
  const overdue = row.ended_at === null && row.ends_at <= ctx.now()
  const reason = overdue ? 'expired' : row.end_reason
  return {
    id: row.id,
    status: reason === null ? 'active' : 'ended',
    agent: { id: row.agent_id, name: agentName(ctx.store, row.agent_id) ?? '' },
    policyGroup: { id: row.group_id, name: groupName(ctx.store, row.group_id) },
    address: row.address,
    contact: row.contact_id === null ? null : { id: row.contact_id, name: row.contact_name ?? '' },
    limit: formatUsdc(terms.limit),
    used: formatUsdc(terms.used),
    remaining: formatUsdc(grantLeft(terms)),
    createdAt: isoOf(row.created_at),
    createdBy: { id: row.created_by, name: row.created_name },
    approvalId: row.approval_id,
    endsAt: isoOf(row.ends_at),
    endedAt: overdue ? isoOf(row.ends_at) : isoOf(row.ended_at),
    endedWhy: reason && { reason, message: grantEndText(reason) },
  }
}

const maxGrantsShown = 200

/** Newest first. */
export function listGrants(ctx: Context, { status, agentId }: GrantsInput): Grant[] {
  const live = '(ended_at IS NULL AND ends_at > ?)'
  const where = { active: live, ended: `NOT ${live}`, all: '? > 0' }[status]
  const [whose, ...values] = agentId === null ? ['1'] : ['agent_id = ?', agentId]
  return ctx.store
    .all<GrantRow>(
      `SELECT * FROM approval_grant WHERE ${where} AND ${whose} ORDER BY created_at DESC, id DESC LIMIT ?`,
      ctx.now(),
      ...values,
      maxGrantsShown,
    )
    .map((row) => grantView(ctx, row))
}

/** A request for more budget as shown in /v1, with the current budget. */
export function budgetRequestView(ctx: Context, row: ApprovalRow): BudgetRequest {
  const group = ctx.store.first<GroupRow>('SELECT * FROM policy_group WHERE id = ?', row.group_id)
  return {
    id: row.id,
    object: 'budget_request',
    status: row.status === 'PENDING' ? 'PENDING_APPROVAL' : row.status,
    amount: formatUsdc(fromColumn(row.amount)),
    reason: row.reason,
    created_at: isoOf(row.asked_at),
    decided_at: isoOf(row.ended_at),
    approval: approvalReference(ctx, row),
    budget: budgetView(group),
  }
}
