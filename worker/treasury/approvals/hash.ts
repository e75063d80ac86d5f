import { hash } from 'node:crypto'
import { canonicalJson } from '#domain/canonicalJson.ts'
import type { Context } from '../core/context.ts'
import { agentName, groupName } from '../storage/names.ts'
import { paidToOf, termsOf } from '../storage/newPayment.ts'
import type { ApprovalRow, PaymentRow } from '../storage/rows.ts'
import { equalPayments } from './approvalRules.ts'
import { walletOf } from './rows.ts'

/** Number of other payments of this amount to this recipient accepted since the approval was requested. */
export const sameSinceAsked = (ctx: Context, row: ApprovalRow, payment: PaymentRow | null): number =>
  payment === null
    ? 0
    : equalPayments(
        ctx,
        row.group_id,
        paidToOf(payment),
        row.amount,
        row.asked_at - 1, // includes the same millisecond
        payment.id,
      )

/**
 * SHA-256 (hex) of everything that the owner bases the decision on, as currently shown. `payment` is the one that waits;
 * null for a budget request.
 */
export function approvalHash(ctx: Context, row: ApprovalRow, payment: PaymentRow | null): string {
  const { id, name, address, chain_id } = walletOf(ctx, row, payment)!
  const shown = [
    'approval-1',
    [row.id, row.kind, row.rules, row.asked_at, row.expires_at, row.amount, row.reason],
    [row.agent_id, agentName(ctx.store, row.agent_id), row.group_id, groupName(ctx.store, row.group_id)],
    [id, name, address, chain_id],
    payment && [canonicalJson([termsOf(payment), paidToOf(payment)]), payment.contact_name],
    sameSinceAsked(ctx, row, payment),
  ]
  return hash('sha256', JSON.stringify(shown))
}
