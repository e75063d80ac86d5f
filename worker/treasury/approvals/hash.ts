import { hash } from 'node:crypto'
import type { Context } from '../context.ts'
import { agentName } from '../payments/views.ts'
import type { GroupRow } from '../storage/rows.ts'
import type { ApprovalRow } from './rows.ts'
import { equalPayments } from './whatIsAsked.ts'

/** A group's name, even if the group was deleted. */
export const groupName = ({ store }: Context, id: string): string =>
  store.first<Pick<GroupRow, 'name'>>('SELECT name FROM policy_group WHERE id = ?', id)?.name ?? ''

/** Number of other payments of this amount to this recipient accepted since the approval was requested. */
export const sameSinceAsked = (ctx: Context, row: ApprovalRow): number =>
  row.kind === 'budget'
    ? 0
    : equalPayments(
        ctx,
        row.group_id,
        { address: row.to_address, email: row.email, phone: row.phone },
        row.amount,
        row.asked_at - 1, // includes the same millisecond
        row.payment_id,
      )

/** SHA-256 (hex) of everything that the owner bases the decision on, as currently shown. */
export function approvalHash(ctx: Context, row: ApprovalRow): string {
  const wallet = ctx.store.wallet(row.wallet_id)
  const shown = [
    'approval-1',
    [row.id, row.kind, row.asked, row.asked_at, row.expires_at],
    [row.agent_id, agentName(ctx.store, row.agent_id), row.group_id, groupName(ctx, row.group_id)],
    [row.wallet_id, wallet?.name ?? null, wallet?.address ?? null, wallet?.chain_id ?? null],
    [row.to_type, row.to_address, row.email, row.phone, row.contact_id, row.contact_name],
    [row.amount, row.memo, row.agent_reason],
    sameSinceAsked(ctx, row),
  ]
  return hash('sha256', JSON.stringify(shown))
}
