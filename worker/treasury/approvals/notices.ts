import { kindOf } from '#domain/kinds/kinds.ts'
import { isTestChain } from '#domain/networks.ts'
import type { Channel } from '#schemas/approval.ts'
import { findUserContact } from '../../db/users.ts'
import { approvalsMessage, type WaitingApproval } from '../../notifications/approvalMessages.ts'
import type { Message } from '../../notifications/message.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import { presentMember } from '../core/storage/members.ts'
import type { ApprovalRow } from '../core/storage/rows.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { walletOf } from './views.ts'

/** Minimum time between two messages for one account, however many approvals are requested. */
const pauseMs = 15 * 60_000 // 15 minutes

/** Everybody has a message of their own, so that each is sent until it was accepted: `{number}`, or `{number}:{member}`. */
const refOf = (batch: number, memberId: string | null) => (memberId === null ? String(batch) : `${batch}:${memberId}`)
const batchOf = (ref: string) => Number(ref.split(':')[0])

/** The person whom the message with this ref is to; null if they may no longer decide, or are not known. */
export async function deciderOf(ctx: Context, ref: string): Promise<{ personId: string; email: string } | null> {
  const memberId = ref.split(':')[1]
  const row = memberId === undefined ? null : presentMember(ctx.store, memberId)
  if (row?.person_id) return row.role === 'approver' ? { personId: row.person_id, email: row.email } : null
  const owner = memberId === undefined ? await findUserContact(ctx.db, ctx.userId) : null
  return owner && { personId: ctx.userId, email: owner.email }
}

/**
 * Notifies the owner and the approvers of a pending approval: immediately, or together with all others that are requested within
 * 15 minutes of the last message. Called inside the transaction that creates the approval.
 */
export function notifyDeciders(ctx: Context, approvalId: string): void {
  const { store } = ctx
  const batch = store.meta('approval_batch') ?? 1
  const pushState = ctx.env.PUSH_PRIVATE_JWK ? 'waiting' : 'not_set_up'
  store.run('UPDATE approval SET email_batch = ?, push_state = ? WHERE id = ?', batch, pushState, approvalId)
  const notBefore = (store.meta('approval_notice_at') ?? -pauseMs) + pauseMs
  const approvers = store.all<{ id: string }>("SELECT id FROM member WHERE role = 'approver' AND status = 'active'")
  for (const memberId of [null, ...approvers.map(({ id }) => id)]) {
    enqueue(ctx, 'mail.approvals', refOf(batch, memberId), notBefore)
    if (pushState === 'waiting') enqueue(ctx, 'push.approvals', refOf(batch, memberId), notBefore)
  }
}

/** The message with this ref, about its approvals that are still pending. Null if there are none. */
export async function approvalNotice(ctx: Context, ref: string): Promise<Message | null> {
  const { store } = ctx
  const batch = batchOf(ref)
  store.transaction(() => {
    // Later approvals go into the next message: a message that is sent again must be the same.
    if ((store.meta('approval_batch') ?? 1) > batch) return
    store.setMeta('approval_batch', batch + 1)
  })
  const decider = await deciderOf(ctx, ref)
  const waiting = waitingInBatch(ctx, ref)
  if (!decider || waiting.length === 0) return null
  store.setMeta('approval_notice_at', ctx.now())
  return approvalsMessage({
    id: `approvals:${ctx.userId}:${ref}`,
    to: decider.email,
    appOrigin: ctx.env.APP_ORIGIN,
    account: accountFor(ctx, decider.personId),
    waiting,
  })
}

/** The approvals of the message with this ref that are still pending. */
export function waitingInBatch(ctx: Context, ref: string): WaitingApproval[] {
  const { store, now } = ctx
  const rows = store.all<ApprovalRow>(
    "SELECT * FROM approval WHERE email_batch = ? AND status = 'PENDING' AND expires_at > ? ORDER BY asked_at, id",
    batchOf(ref),
    now(),
  )
  return rows.map((row) => {
    const payment = row.payment_id === null ? null : store.payment(row.payment_id)
    return {
      approvalId: row.id,
      kind: payment ? kindOf(payment).noun : row.kind,
      agent: store.agentName(row.agent_id) ?? 'An agent',
      amount: formatColumn(row.amount),
      isTest: isTestChain(walletOf(ctx, row, payment)!.chain_id),
      recipient:
        payment &&
        (payment.seller ??
          payment.contact_name ??
          payment.recipient_email ??
          payment.recipient_phone ??
          payment.to_address),
      expiresAt: row.expires_at,
    }
  })
}

/** Records whether the provider accepted the owner's message with this ref, to be shown with its approvals. */
export function recordEmail({ store, now }: Context, ref: string, state: 'accepted' | 'failed'): void {
  if (ref !== refOf(batchOf(ref), null)) return
  store.run('UPDATE approval SET email_state = ?, email_at = ? WHERE email_batch = ?', state, now(), batchOf(ref))
}

/** Records the same of the owner's push message. */
export function recordPush({ store, now }: Context, ref: string, state: Channel['state']): void {
  if (ref !== refOf(batchOf(ref), null)) return
  const at = state === 'not_set_up' ? null : now()
  store.run('UPDATE approval SET push_state = ?, push_at = ? WHERE email_batch = ?', state, at, batchOf(ref))
}

/** For links: the account, unless it is the person's own. */
export const accountFor = (ctx: Context, personId: string): string | null =>
  personId === ctx.userId ? null : ctx.userId
