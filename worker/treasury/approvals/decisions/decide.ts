import { type ErrorCode, statusOf } from '../../../errors.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import { suspendedOwner } from '../../core/commonRefusals.ts'
import type { Context } from '../../core/context.ts'
import { fromColumn } from '../../core/storage/columns.ts'
import { termsOf } from '../../core/storage/newPayment.ts'
import type { ApprovalRow, PaymentRow } from '../../core/storage/rows.ts'
import { takeIncrease } from '../../limits/ownerPassword.ts'
import { type Accepted, accept } from '../../payments/accept.ts'
import type { Gathered, Need } from '../../payments/needs.ts'
import type { PayInput } from '../../payments/rpcTypes.ts'
import { raiseBudget } from '../../reports/changes/groups.ts'
import { setPaused } from '../../reports/changes/pausing.ts'
import { endApproval, endOverdue } from '../end.ts'
import { createGrant } from '../grants.ts'
import type { ApproveInput, DenyInput } from '../rpcTypes.ts'
import { approvalHash } from '../views.ts'

/** The decided approval, if no payment was accepted: a budget request, a denial, or a repeated decision. */
type Decided = { decided: ApprovalRow }

/** The waiting payment as the agent requested it, with the credential that it used. */
export const inputOf = ({ agent_id, credential_hash }: ApprovalRow, waiting: PaymentRow): PayInput => ({
  principal: { type: 'agent', agentId: agent_id, credentialHash: credential_hash, via: 'api' },
  key: null,
  terms: termsOf(waiting),
})

/**
 * Approves a payment: decides by the current rules, reserves and signs it, ends the approval and creates the grant, all in
 * one transaction. A refusal leaves the approval open.
 */
export function approvePayment(
  ctx: Context,
  id: string,
  input: ApproveInput,
  gathered: Gathered,
): Result<Accepted | Decided> | Need {
  return inOneTransaction(ctx, () => {
    const open = openApproval(ctx, id, 'APPROVED', input.hash, input.grant !== null)
    if (!open.ok || 'decided' in open.value) return open as Result<Decided>
    const approval = open.value.open
    const suspended = suspendedOwner(ctx)
    if (suspended) return suspended
    const waiting = ctx.store.payment(approval.payment_id!)!
    const result = accept(ctx, inputOf(approval, waiting), gathered, waiting)
    if ('need' in result) return result
    if (!result.ok) return asApprovalRefusal(result)
    const grant = input.grant ? createGrant(ctx, approval, waiting, input.grant, input.by) : ok(null)
    if (!grant.ok) return grant
    const unconfirmed = takeIncrease(ctx, increaseBy(approval, input), input.passwordChecked)
    if (unconfirmed) return unconfirmed
    if (!endApproval(ctx, approval, 'approve', { by: input.by, grantId: grant.value }))
      throw new Error('an approval was decided twice')
    return result as Result<Accepted>
  })
}

/** A grant is in addition to the payment. */
const increaseBy = ({ amount }: ApprovalRow, { grant }: ApproveInput) => fromColumn(amount) + (grant?.amount ?? 0n)

/** Approves a request for more budget. */
export function approveBudget(ctx: Context, id: string, input: ApproveInput): Result<Decided> {
  return inOneTransaction(ctx, (): Result<Decided> => {
    const open = openApproval(ctx, id, 'APPROVED', input.hash, input.grant !== null)
    if (!open.ok || 'decided' in open.value) return open as Result<Decided>
    const approval = open.value.open
    const refused = suspendedOwner(ctx) ?? takeIncrease(ctx, increaseBy(approval, input), input.passwordChecked)
    if (refused) return refused
    if (input.grant)
      return refuse('unprocessable', 'A permission can only be granted for payments to an address.', { field: 'grant' })
    const by = { by: input.by.userId, approval: id }
    const raised = raiseBudget(ctx, approval.group_id, fromColumn(approval.amount), by)
    if (!raised.ok) return asApprovalRefusal(raised)
    endApproval(ctx, approval, 'approve', { by: input.by })
    return ok({ decided: ctx.store.approval(id)! })
  })
}

/** Denies a request; `pauseAgent` pauses its agent in the same step. Rules and suspensions do not prevent it. */
export function deny(ctx: Context, id: string, input: DenyInput): Result<Decided> {
  return inOneTransaction(ctx, (): Result<Decided> => {
    const open = openApproval(ctx, id, 'DENIED', input.hash)
    if (!open.ok) return open
    const { by, pauseAgent } = input
    if ('open' in open.value) endApproval(ctx, open.value.open, 'deny', { by, pauseAgent })
    const decided = ctx.store.approval(id)!
    // Also if it was denied before: whoever presses this button now wants the agent to stop.
    if (pauseAgent) setPaused(ctx, { kind: 'agent', id: decided.agent_id }, true)
    return ok({ decided })
  })
}

/** Rolls everything back if `decide` refuses after it has written. */
function inOneTransaction<T extends { ok: boolean } | { need: string }>(ctx: Context, decide: () => T): T {
  try {
    return ctx.store.attempt(decide)
  } finally {
    // A rollback also undoes the end of overdue approvals, so they are ended again.
    ctx.store.transaction(() => endOverdue(ctx))
  }
}

const endings = { APPROVED: 'approved', DENIED: 'denied', EXPIRED: 'expired', CANCELLED: 'cancelled' } as const

function openApproval(
  ctx: Context,
  id: string,
  wanted: 'APPROVED' | 'DENIED',
  hash: string,
  wantsGrant = false,
): Result<{ open: ApprovalRow } | Decided> {
  endOverdue(ctx)
  const approval = ctx.store.approval(id)
  if (!approval) return notFound('Approval')
  if (approval.status === wanted && wantsGrant && approval.grant_id === null)
    return refuse('conflict', 'This request is already approved, without a permission.', { field: 'grant' })
  if (approval.status === wanted) return ok({ decided: approval })
  if (approval.status !== 'PENDING')
    return refuse('conflict', `This request is already ${endings[approval.status]}.`, { field: 'status' })
  const waiting = approval.payment_id === null ? null : ctx.store.payment(approval.payment_id)
  if (approvalHash(ctx, approval, waiting) !== hash)
    return refuse('conflict', 'This request has changed since it was shown. Review it again before you decide.', {
      field: 'hash',
    })
  return ok({ open: approval })
}

/** A refusal by the current rules, as a refusal to approve. An `unauthenticated` agent must not sign the owner out. */
function asApprovalRefusal(refused: Refused): Refused {
  const own: readonly ErrorCode[] = ['account_suspended', 'second_person_required']
  if (statusOf[refused.code] >= 429 || own.includes(refused.code)) return refused
  const { code, message, refusal } = refused
  return {
    ...refuse('approval_refused', code === 'unauthenticated' ? credentialGone : message),
    ...(refusal && { refusal }),
  }
}

export const credentialGone = 'The credential that the agent used for this request was replaced or revoked.'
