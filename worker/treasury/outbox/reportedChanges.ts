import type { ToldChange } from '#domain/events.ts'
import { minuteMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'
import { appendEvent } from '../ledger/audit.ts'
import { enqueue } from './enqueue.ts'

/** Changes that are made together are one message. */
const gatherMs = minuteMs
/** Minimum time between two of these messages. */
const pauseMs = 15 * minuteMs

/**
 * Records a change that its owner is told of, in case somebody else made it: in the audit log, behind the bell, and by mail.
 * Call inside the transaction of the change.
 */
export function auditAndReport(ctx: Context, event: ToldChange, ref: string, data: Record<string, unknown> = {}): void {
  const { store, now } = ctx
  appendEvent(store, now(), event, ref, data)
  const waiting = store.first<{ due_at: number }>("SELECT due_at FROM outbox WHERE kind = 'mail.changes'")
  const last = store.meta('changes_mailed')?.at ?? Number.NEGATIVE_INFINITY
  // Further changes never delay the message.
  enqueue(ctx, 'mail.changes', 'account', waiting?.due_at ?? Math.max(now() + gatherMs, last + pauseMs))
}
