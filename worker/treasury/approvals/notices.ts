import { kindOf } from '#domain/kinds/kinds.ts'
import { isTestChain } from '#domain/networks.ts'
import { findUserContact } from '../../db/users.ts'
import { approvalsMessage, type WaitingApproval } from '../../notifications/approvalMessages.ts'
import type { Message } from '../../notifications/message.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { ApprovalRow } from '../core/storage/rows.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { walletOf } from './views.ts'

/** Minimum time between two messages for one account, however many approvals are requested. */
const pauseMs = 15 * 60_000 // 15 minutes

/**
 * Notifies the owner of a pending approval: immediately, or together with all others that are requested within 15 minutes
 * of the last message. Called inside the transaction that creates the approval.
 */
export function notifyOwner(ctx: Context, approvalId: string): void {
  const { store } = ctx
  const batch = store.meta('approval_batch') ?? 1
  const pushState = ctx.env.PUSH_PRIVATE_JWK ? 'waiting' : 'not_set_up'
  store.run('UPDATE approval SET email_batch = ?, push_state = ? WHERE id = ?', batch, pushState, approvalId)
  const notBefore = (store.meta('approval_notice_at') ?? -pauseMs) + pauseMs
  enqueue(ctx, 'mail.approvals', String(batch), notBefore)
  if (pushState === 'waiting') enqueue(ctx, 'push.approvals', String(batch), notBefore)
}

/** The message with this number, about its approvals that are still pending. Null if there are none. */
export async function approvalNotice(ctx: Context, ref: string): Promise<Message | null> {
  const { store } = ctx
  const batch = Number(ref)
  store.transaction(() => {
    // Later approvals go into the next message: a message that is sent again must be the same.
    if ((store.meta('approval_batch') ?? 1) > batch) return
    store.setMeta('approval_batch', batch + 1)
  })
  const owner = await findUserContact(ctx.db, ctx.userId)
  const waiting = waitingInBatch(ctx, batch)
  if (!owner || waiting.length === 0) return null
  store.setMeta('approval_notice_at', ctx.now())
  return approvalsMessage({
    id: `approvals:${ctx.userId}:${batch}`,
    to: owner.email,
    appOrigin: ctx.env.APP_ORIGIN,
    waiting,
  })
}

/** The approvals of the message with this number that are still pending. */
export function waitingInBatch(ctx: Context, batch: number): WaitingApproval[] {
  const { store, now } = ctx
  const rows = store.all<ApprovalRow>(
    "SELECT * FROM approval WHERE email_batch = ? AND status = 'PENDING' AND expires_at > ? ORDER BY asked_at, id",
    batch,
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

/** Records whether the provider accepted the message with this number, to be shown with its approvals. */
export function recordEmail({ store, now }: Context, ref: string, state: 'accepted' | 'failed'): void {
  store.run('UPDATE approval SET email_state = ?, email_at = ? WHERE email_batch = ?', state, now(), Number(ref))
}
