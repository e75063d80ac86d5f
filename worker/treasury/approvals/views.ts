import { cancelText, grantEndText, grantLeft } from '#domain/approval.ts'
import { encodeRowCursor } from '#domain/listCursor.ts'
import { formatUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { eachNote, notesOf } from '#domain/paymentNotes.ts'
import { isoOf } from '#domain/time.ts'
import type { Approval, ApprovalList, Channel, Grant } from '#schemas/approval.ts'
import type { BudgetRequest } from '#schemas/budgetRequest.ts'
import type { Context } from '../context.ts'
import { budgetView } from '../policies/budgetView.ts'
import { fromColumn } from '../storage/columns.ts'
import { agentName, groupName } from '../storage/names.ts'
import { paidToOf } from '../storage/newPayment.ts'
import type { ApprovalRow, GrantRow, GroupRow } from '../storage/rows.ts'
import type { ApprovalsInput, GrantsInput } from './api.ts'
import { endOverdue } from './end.ts'
import { grantTerms } from './grants.ts'
import { approvalHash, sameSinceAsked } from './hash.ts'
import { approvalReference, walletOf } from './rows.ts'
import { passwordAbove } from './settings.ts'
import { wouldPass } from './wouldPass.ts'

export function approvalView(ctx: Context, row: ApprovalRow): Approval {
  const payment = row.payment_id === null ? null : ctx.store.payment(row.payment_id)
  const wallet = walletOf(ctx, row, payment)!
  const passwordLimit = passwordAbove(ctx)
  const channel = (state: Channel['state'], time: number | null): Channel => ({ state, at: isoOf(time) })
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    agent: { id: row.agent_id, name: agentName(ctx.store, row.agent_id) ?? '' },
    policyGroup: { id: row.group_id, name: groupName(ctx.store, row.group_id) },
    wallet: { id: wallet.id, name: wallet.name, address: wallet.address, chain: chainNameOf(wallet.chain_id) },
    recipient: payment && {
      type: payment.to_type,
      ...paidToOf(payment),
      contactId: payment.contact_id,
      contactName: payment.contact_name,
    },
    amount: formatUsdc(fromColumn(row.amount)),
    ...(payment ? notesOf(payment) : eachNote(() => null)),
    agentReason: row.reason,
    askedBecause: JSON.parse(row.rules) as Approval['askedBecause'],
    askedAt: isoOf(row.asked_at),
    expiresAt: isoOf(row.expires_at),
    endedAt: isoOf(row.ended_at),
    decidedBy: row.decided_by === null ? null : { id: row.decided_by, name: row.decided_name },
    cancelledWhy: row.cancelled && { reason: row.cancelled, message: cancelText(row.cancelled) },
    payment: payment && { id: payment.id, status: payment.status, txHash: payment.tx_hash },
    wouldPass: row.status === 'PENDING' ? wouldPass(ctx, row, payment) : null,
    sameSinceAsked: sameSinceAsked(ctx, row, payment),
    hash: approvalHash(ctx, row, payment),
    needsPassword: passwordLimit !== null && fromColumn(row.amount) > passwordLimit,
    canGrant: payment?.kind === 'send',
    grantId: row.grant_id,
    channels: { email: channel(row.email_state, row.email_at), push: channel(row.push_state, row.push_at) },
  }
}

const pageSize = 25
/** Pending approvals, the next to expire first; then ended ones, newest first, in pages. */
export function listApprovals(ctx: Context, { status, agentId, after }: ApprovalsInput): ApprovalList {
  const { store } = ctx
  endOverdue(ctx)
  const [whose, ...values] = agentId === null ? ['1'] : ['agent_id = ?', agentId]
  const open =
    status === 'ended' || after
      ? []
      : store.all<ApprovalRow>(
          `SELECT * FROM approval WHERE status = 'PENDING' AND ${whose} ORDER BY expires_at, id`,
          ...values,
        )
  const from = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  const found =
    status === 'pending'
      ? []
      : store.all<ApprovalRow>(
          `SELECT * FROM approval WHERE status <> 'PENDING' AND ${whose} AND (asked_at, id) < (?, ?)
           ORDER BY asked_at DESC, id DESC LIMIT ?`,
          ...values,
          from.at,
          from.id,
          pageSize + 1,
        )
  const ended = found.slice(0, pageSize)
  const last = ended.at(-1)
  return {
    approvals: [...open, ...ended].map((row) => approvalView(ctx, row)),
    pending: pendingCount(ctx),
    next: last && found.length > pageSize ? encodeRowCursor({ at: last.asked_at, id: last.id }) : null,
  }
}

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
