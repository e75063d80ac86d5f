import { type ApprovalEvent, type CancelReason, nextApproval } from '#domain/approval.ts'
import type { WebhookEvent } from '#domain/events.ts'
import { formatUsdc } from '#domain/money.ts'
import { dayMs } from '#domain/time.ts'
import { earliest } from '../../durable/earliest.ts'
import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { fromColumn } from '../storage/columns.ts'
import type { Decider } from './api.ts'
import { endOverdueGrants } from './grants.ts'
import type { ApprovalRow } from './rows.ts'
import { wakeWaiters } from './waitForEnd.ts'

const keepMs = 30 * dayMs // D1's lists keep showing them
const events = {
  approve: 'approval.approved',
  deny: 'approval.denied',
  expire: 'approval.expired',
  cancel: 'approval.cancelled',
} as const satisfies Record<ApprovalEvent, WebhookEvent>

/**
 * Ends an approval once. Returns false, without changing anything, if it has already ended. The audit log records who
 * decided. Called inside the transaction of the change that ends it.
 */
export function endApproval(
  ctx: Context,
  approval: ApprovalRow,
  event: ApprovalEvent,
  more: { by?: Decider; cancelled?: CancelReason; grantId?: string | null; pauseAgent?: boolean } = {},
): boolean {
  const { store } = ctx
  const status = nextApproval(approval.status, event)
  if (status === null) return false
  const { by, cancelled, grantId, pauseAgent } = more
  const ended = store.run(
    `UPDATE approval SET status = ?, ended_at = ?, decided_by = ?, decided_name = ?, cancelled = ?, grant_id = ?
     WHERE id = ? AND status = 'PENDING'`,
    status,
    ctx.now(),
    by?.userId ?? null,
    by?.name ?? null,
    cancelled ?? null,
    grantId ?? null,
    approval.id,
  )
  if (ended === 0) return false
  wakeWaiters(ctx)
  audit(store, ctx.now(), events[event], approval.id, {
    ...(by && { by: by.userId, session: by.sessionId }),
    ...(cancelled && { why: cancelled }),
    agent: approval.agent_id,
    amount: formatUsdc(fromColumn(approval.amount)),
    ...(approval.payment_id && { payment: approval.payment_id }),
    ...(grantId && { grant: grantId }),
    ...(pauseAgent && { pausedAgent: true }),
  })
  if (approval.payment_id) {
    enqueue(ctx, 'payment', approval.payment_id)
    sendPaymentEvent(ctx, events[event], approval.payment_id, 'PENDING_APPROVAL')
  }
  return true
}

/** Cancels the pending approvals of an agent, group or wallet and returns how many. Call inside a transaction. */
export function cancelApprovals(
  ctx: Context,
  { column, id }: { column: 'agent_id' | 'group_id' | 'wallet_id'; id: string },
  cancelled: CancelReason,
): number {
  const open = ctx.store.all<ApprovalRow>(`SELECT * FROM approval WHERE ${column} = ? AND status = 'PENDING'`, id)
  return open.filter((approval) => endApproval(ctx, approval, 'cancel', { cancelled })).length
}

/** Ends approvals that were not decided in time. Nothing is paid. */
export function endOverdue(ctx: Context): void {
  for (const approval of ctx.store.all<ApprovalRow>(
    "SELECT * FROM approval WHERE status = 'PENDING' AND expires_at <= ?",
    ctx.now(),
  ))
    endApproval(ctx, approval, 'expire')
}

/** Called by the alarm. Ends overdue approvals and grants; returns when the next one is due (ms), or null. */
export function endAllOverdue(ctx: Context): number | null {
  const { store } = ctx
  return store.transaction(() => {
    endOverdue(ctx)
    const grantAt = endOverdueGrants(ctx)
    const next = store.first<{ at: number | null }>(
      "SELECT min(expires_at) AS at FROM approval WHERE status = 'PENDING'",
    )
    return earliest(next?.at ?? null, grantAt)
  })
}

/** Deletes approvals that ended unapproved 30 days ago or earlier, like refusals. Approved ones stay with their payment. */
export function pruneApprovals({ store, now }: Context): void {
  store.run("DELETE FROM approval WHERE status IN ('DENIED','EXPIRED','CANCELLED') AND ended_at < ?", now() - keepMs)
}
