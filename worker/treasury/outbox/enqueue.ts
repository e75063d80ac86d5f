import { hourMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'
import type { PayoutRow } from '../core/storage/rows.ts'
import { recordChange } from './changes.ts'

/**
 * The claim page's copy of a payout, troubles for alerts, events for webhooks, the webhooks that operators count, and who is a
 * member of which account.
 */
export const dataKinds = ['desk', 'trouble', 'event', 'webhook', 'membership'] as const
/** Messages to people. Their contents are read from the rows when they are sent. */
export const mailKinds = [
  'mail.payout_link',
  'mail.payout_reminder',
  'mail.payout_claimed',
  'mail.payout_returned',
  'mail.payout_receipt',
  'mail.budget_reached',
  'mail.wallet_stopped',
  'mail.session_ending',
  'mail.refill_refused',
  'mail.approvals',
  'mail.run_waiting',
  'mail.run_ended',
  'mail.changes',
  'mail.second_person',
  'mail.withdrawal',
  'mail.webhook_disabled',
  'mail.account_restored',
  'mail.month',
] as const
export type MailKind = (typeof mailKinds)[number]
/** Push messages to the owner's browsers. */
export const pushKinds = ['push.approvals', 'push.run'] as const
/** Everything that leaves the Treasury through the outbox. */
export type OutboxKind = (typeof dataKinds)[number] | MailKind | (typeof pushKinds)[number]

const delayMs = 100

/**
 * Records, in the transaction of a change, that `ref` (the row's id) must be sent: one entry, however often it changes.
 * `notBefore` (ms) delays it.
 */
export function enqueue(ctx: Context, kind: OutboxKind, ref: string, notBefore = 0): void {
  ctx.store.run(
    `INSERT INTO outbox (kind, ref, seq, due_at) VALUES (?, ?, 1, ?)
     ON CONFLICT (kind, ref) DO UPDATE SET seq = seq + 1, failures = 0, due_at = excluded.due_at`,
    kind,
    ref,
    notBefore,
  )
  ctx.schedule('outbox', Math.max(notBefore, ctx.now() + delayMs))
}

/** Payouts that return within this time of the first are one message. */
const returnsTogetherMs = hourMs

/** Records that the owner must hear of a payout that came back, unless they took it back. */
export function enqueueReturn(ctx: Context, { id, action_by }: PayoutRow): void {
  if (action_by === 'sender') return
  const waiting = ctx.store.first<{ due_at: number }>(
    "SELECT due_at FROM outbox WHERE kind = 'mail.payout_returned' AND due_at > ? ORDER BY due_at LIMIT 1",
    ctx.now(),
  )
  enqueue(ctx, 'mail.payout_returned', id, waiting?.due_at ?? ctx.now() + returnsTogetherMs)
}

/** Records a change of a payout, which is sent to its claim page as well. */
export function enqueuePayout(ctx: Context, payoutId: string): void {
  ctx.store.run('UPDATE payout SET updated_at = ? WHERE id = ?', ctx.now(), payoutId)
  recordChange(ctx, payoutId)
  enqueue(ctx, 'desk', payoutId)
}
