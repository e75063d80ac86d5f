import { type ApprovalEvent, type CancelReason, cancelText, nextApproval } from '#domain/approval.ts'
import type { WebhookEvent } from '#domain/events.ts'
import { nextPayment, type PaymentEvent } from '#domain/payment.ts'
import { dayMs } from '#domain/time.ts'
import { earliest } from '../../durable/alarms.ts'
import type { Context } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { ApprovalRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { endOverdueGrants } from './grants.ts'
import type { Decider } from './rpcTypes.ts'

/** Calls that wait for an approval to end: the function that wakes each, and its agent's id. */
export const endWaiters = inMemory(() => new Map<() => void, string>())

const keepMs = 30 * dayMs // History keeps showing them
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
  const ended = {
    status,
    ended_at: ctx.now(),
    decided_by: by?.userId ?? null,
    decided_name: by?.name ?? null,
    cancelled: cancelled ?? null,
    grant_id: grantId ?? null,
  }
  if (!store.update('approval', approval.id, ended, { status: 'PENDING' })) return false
  if (approval.payment_id && event !== 'approve') endPayment(ctx, approval.payment_id, event, cancelled)
  wakeWaiters(ctx)
  audit(store, ctx.now(), events[event], approval.id, {
    ...(by && { by: by.userId, session: by.sessionId }),
    ...(cancelled && { why: cancelled }),
    agent: approval.agent_id,
    amount: formatColumn(approval.amount),
    ...(approval.payment_id && { payment: approval.payment_id }),
    ...(grantId && { grant: grantId }),
    ...(pauseAgent && { pausedAgent: true }),
  })
  if (approval.payment_id) {
    recordChange(ctx, approval.payment_id)
    sendPaymentEvent(ctx, events[event], approval.payment_id, 'PENDING_APPROVAL')
  }
  return true
}

const outcomes = {
  deny: ['rejected', 'approval_denied', 'The owner denied this payment.'],
  expire: ['rejected', 'approval_expired', 'The owner did not answer in time.'],
  cancel: ['cancelled', 'approval_cancelled', 'Cancelled before it was approved.'],
} as const satisfies Record<Exclude<ApprovalEvent, 'approve'>, [PaymentEvent, code: string, message: string]>

/** Ends a waiting payment that was not approved. It held nothing, so nothing is released. */
function endPayment(ctx: Context, id: string, event: keyof typeof outcomes, cancelled: CancelReason | undefined): void {
  const [paymentEvent, error_code, message] = outcomes[event]
  const error_message = cancelled ? `${message} ${cancelText(cancelled)}` : message
  const status = nextPayment('PENDING_APPROVAL', paymentEvent)!
  ctx.store.update('payment', id, { status, error_code, error_message }, { status: 'PENDING_APPROVAL' })
}

/** Cancels the pending approvals of an agent or group and returns how many. Call inside a transaction. */
export function cancelApprovals(
  ctx: Context,
  { column, id }: { column: 'agent_id' | 'group_id'; id: string },
  cancelled: CancelReason,
): number {
  const open = ctx.store.all<ApprovalRow>(`SELECT * FROM approval WHERE ${column} = ? AND status = 'PENDING'`, id)
  return open.filter((approval) => endApproval(ctx, approval, 'cancel', { cancelled })).length
}

/** Ends approvals that were not decided in time, so that nobody sees one that is still open. Nothing is paid. */
export function endOverdue(ctx: Context): void {
  const overdue = ctx.store.all<ApprovalRow>(
    "SELECT * FROM approval WHERE status = 'PENDING' AND expires_at <= ?",
    ctx.now(),
  )
  if (overdue.length > 0)
    ctx.store.transaction(() => {
      for (const approval of overdue) endApproval(ctx, approval, 'expire')
    })
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

/** Deletes approvals that ended unapproved 30 days ago or earlier, with their payments. Approved ones stay. */
export function pruneApprovals({ store, now }: Context): void {
  const ended = "status IN ('DENIED','EXPIRED','CANCELLED') AND ended_at < ?"
  store.transaction(() => {
    const payments = store.all<{ payment_id: string | null }>(
      `SELECT payment_id FROM approval WHERE ${ended}`,
      now() - keepMs,
    )
    store.run(`DELETE FROM approval WHERE ${ended}`, now() - keepMs)
    for (const { payment_id } of payments) {
      if (!payment_id) continue
      store.run('DELETE FROM change WHERE ref = ? AND seq < (SELECT max(seq) FROM change)', payment_id)
      store.run('DELETE FROM payment WHERE id = ?', payment_id)
    }
  })
}

/** Maximum number of concurrent waits per agent. */
const maxWaiting = 10

/**
 * Waits until one of these payments no longer waits for approval, for `forMs` at most. Returns false if the agent already
 * has too many waits. Waits are held in memory only: after a restart the caller has to call again.
 */
export async function waitForEnd(ctx: Context, agentId: string, paymentIds: string[], forMs: number): Promise<boolean> {
  const { store } = ctx
  const waiters = endWaiters(ctx)
  if ([...waiters.values()].filter((id) => id === agentId).length >= maxWaiting) return false
  const ended = "SELECT 1 FROM approval WHERE payment_id IN (SELECT value FROM json_each(?)) AND status <> 'PENDING'"
  let wake = () => {}
  const waiter = () => wake()
  let hasTimedOut = false
  const timer = setTimeout(() => {
    hasTimedOut = true
    wake()
  }, forMs)
  waiters.set(waiter, agentId)
  try {
    while (!hasTimedOut && store.first(ended, JSON.stringify(paymentIds)) === null)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  } finally {
    waiters.delete(waiter)
    clearTimeout(timer)
  }
  return true
}

/** Called in the transaction that ends an approval; the waiters check again after it. */
function wakeWaiters(ctx: Context): void {
  for (const wake of endWaiters(ctx).keys()) wake()
}
