import type { MailEvent } from '#domain/events.ts'
import type { Context } from '../context.ts'

/**
 * Rows of the D1 read model, what D1 keeps of the account (backup/kept.ts), the claim page's copy of a payout, the index of
 * its link, what alerts report, events for webhooks, and the webhooks that operators count.
 */
export const dataKinds = ['payment', 'payout', 'kept', 'desk', 'link', 'trouble', 'event', 'webhook'] as const
/** Messages to people. What they say is read from the rows when they are sent. */
export const mailKinds = [
  'mail.payout_link',
  'mail.payout_reminder',
  'mail.payout_claimed',
  'mail.payout_returned',
  'mail.budget_reached',
  'mail.wallet_stopped',
  'mail.approvals',
  'mail.webhook_disabled',
  'mail.account_restored',
] as const
export type MailKind = (typeof mailKinds)[number]
/** The event that each message tells of. A renewed code is sent by the message of the link. */
export const eventOfMail: Record<MailKind, MailEvent> = {
  'mail.payout_link': 'payout.ready',
  'mail.payout_reminder': 'payout.reminded',
  'mail.payout_claimed': 'payout.withdrawn',
  'mail.payout_returned': 'payout.reclaimed',
  'mail.budget_reached': 'group.budget_reached',
  'mail.wallet_stopped': 'wallet.halted',
  'mail.approvals': 'approval.requested',
  'mail.webhook_disabled': 'webhook.disabled',
  'mail.account_restored': 'account.restored',
}
/** Notices to the owner's browsers. */
export const pushKinds = ['push.approvals'] as const
/** What leaves the Treasury. */
export type OutboxKind = (typeof dataKinds)[number] | MailKind | (typeof pushKinds)[number]

/** Lists wait for `syncReadModel`, so their rows may come in larger batches; people wait for the rest. */
const delayMs = (kind: OutboxKind) => (kind === 'payment' || kind === 'payout' ? 3_000 : 100)

/**
 * Notes, in the transaction of a change, that `ref` (the row's id) has to be sent on: one entry however often it
 * changes. `notBefore` (ms): it may wait so long.
 */
export function enqueue(ctx: Context, kind: OutboxKind, ref: string, notBefore = 0): void {
  const { store } = ctx
  if (kind === 'payout') store.run('UPDATE payout SET updated_at = ? WHERE id = ?', ctx.now(), ref)
  store.run(
    `INSERT INTO outbox (kind, ref, seq, due_at) VALUES (?, ?, 1, ?)
     ON CONFLICT (kind, ref) DO UPDATE SET seq = seq + 1, failures = 0, due_at = excluded.due_at`,
    kind,
    ref,
    notBefore,
  )
  ctx.schedule('outbox', Math.max(notBefore, ctx.now() + delayMs(kind)))
}

/** A payout's change goes to its claim page as well. */
export function enqueuePayout(ctx: Context, payoutId: string): void {
  enqueue(ctx, 'payout', payoutId)
  enqueue(ctx, 'desk', payoutId)
}

/** D1 keeps what the wallet is. */
export const enqueueWallet = (ctx: Context, walletId: string): void => enqueue(ctx, 'kept', `wallet:${walletId}`)
