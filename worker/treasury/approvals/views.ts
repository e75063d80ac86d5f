import { hash } from 'node:crypto'
import { approvalPath, grantEndText, grantLeft, manyPayments } from '#domain/approval.ts'
import { canonicalJson } from '#domain/json.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import { formatUsdc } from '#domain/money.ts'
import { isoOf } from '#domain/time.ts'
import type { Approval, Grant } from '#schemas/approval.ts'
import type { BudgetRequest, Payment } from '#schemas/payment.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import { paidToOf, termsOf } from '../core/storage/newPayment.ts'
import { lookAlikeOf, paymentsTo } from '../core/storage/paidRecipients.ts'
import type { ApprovalRow, GrantRow, PaymentRow } from '../core/storage/rows.ts'
import { budgetView } from '../policies/budgets.ts'
import { isConfirmedSeller } from '../policies/sellers.ts'
import { equalPayments } from './approvalRules.ts'
import { grantTerms } from './grants.ts'
import type { GrantsInput } from './rpcTypes.ts'

/** Overdue approvals do not count, even if the alarm has not ended them yet. */
export const pendingCount = ({ store, now }: Context): number =>
  store.count("approval WHERE status = 'PENDING' AND expires_at > ?", now())

export function grantView(ctx: Context, row: GrantRow): Grant {
  const terms = grantTerms(row)
  const overdue = row.ended_at === null && row.ends_at <= ctx.now()
  const reason = overdue ? 'expired' : row.end_reason
  return {
    id: row.id,
    status: reason === null ? 'active' : 'ended',
    agent: { id: row.agent_id, name: ctx.store.agentName(row.agent_id) ?? '' },
    policyGroup: { id: row.group_id, name: ctx.store.groupName(row.group_id) },
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
  return {
    id: row.id,
    object: 'budget_request',
    status: row.status === 'PENDING' ? 'PENDING_APPROVAL' : row.status,
    amount: formatColumn(row.amount),
    reason: row.reason,
    created_at: isoOf(row.asked_at),
    decided_at: isoOf(row.ended_at),
    approval: approvalReference(ctx, row),
    budget: budgetView(ctx.store.anyGroup(row.group_id)),
  }
}

/** The wallet that would pay: the payment's, or for a budget request the group's. */
export const walletOf = ({ store }: Context, { group_id }: ApprovalRow, payment: PaymentRow | null) =>
  store.wallet(payment?.wallet_id ?? store.anyGroup(group_id)!.wallet_id)

/** An approval as shown to agents. */
export const approvalReference = ({ env }: Context, row: ApprovalRow): NonNullable<Payment['approval']> => ({
  id: row.id,
  status: row.status,
  requested_at: isoOf(row.asked_at),
  decided_at: isoOf(row.ended_at),
  expires_at: isoOf(row.expires_at),
  url: `${env.APP_ORIGIN}${approvalPath(row.id)}`,
})

/** Number of other payments of this amount to this recipient accepted since the approval was requested. */
export const equalPaymentsSince = (ctx: Context, row: ApprovalRow, payment: PaymentRow | null): number =>
  payment === null
    ? 0
    : equalPayments(
        ctx,
        row.group_id,
        paidToOf(payment),
        row.amount,
        row.asked_at - 1, // includes the same millisecond
        { exceptId: payment.id },
      )

/** What is known about the recipient now. */
export function recipientFacts(
  ctx: Context,
  row: ApprovalRow,
  payment: PaymentRow | null,
): Approval['recipientHistory'] {
  if (payment === null || row.status !== 'PENDING') return null
  const to = paidToOf(payment)
  const { payments } = paymentsTo(ctx.store, to, walletOf(ctx, row, payment)!.chain_id)
  return {
    payments: Math.min(payments, manyPayments),
    lookAlike: to.address && lookAlikeOf(ctx.store, to.address),
  }
}

/** What is bought and from whom, as far as it is known now. Null unless it is a purchase. */
export function purchaseFacts(ctx: Context, row: ApprovalRow, payment: PaymentRow | null): Approval['purchase'] {
  if (payment === null || kindOf(payment).paidTo !== 'seller') return null
  const { resource, seller, to_address } = payment as PaymentRow & { resource: string; seller: string }
  const isOpen = row.status === 'PENDING'
  const asked = { resource, address: to_address! }
  return {
    resource,
    host: seller,
    isConfirmed: isOpen ? isConfirmedSeller(ctx, walletOf(ctx, row, payment)!, asked) : null,
  }
}

/**
 * SHA-256 (hex) of everything that the owner bases the decision on, as currently shown. `payment` is the one that waits;
 * null for a budget request.
 */
export function approvalHash(ctx: Context, row: ApprovalRow, payment: PaymentRow | null): string {
  const { id, name, address, chain_id } = walletOf(ctx, row, payment)!
  const shown = [
    'approval-1',
    [row.id, row.kind, row.rules, row.asked_at, row.expires_at, row.amount, row.reason],
    [row.agent_id, ctx.store.agentName(row.agent_id), row.group_id, ctx.store.groupName(row.group_id)],
    [id, name, address, chain_id],
    payment && [canonicalJson([termsOf(payment), paidToOf(payment)]), payment.contact_name],
    equalPaymentsSince(ctx, row, payment),
    recipientFacts(ctx, row, payment),
    purchaseFacts(ctx, row, payment),
  ]
  return hash('sha256', JSON.stringify(shown))
}
