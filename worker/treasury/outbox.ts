import type { Context } from './context.ts'

/** What leaves the Treasury: two read-model rows, the claim page's copy, the claim link's index, mails, the watchdog's row. */
export type OutboxKind = 'payment' | 'payout' | 'desk' | 'link' | 'mail' | 'watch'

/**
 * Note, in the transaction of a change, that others must be told of this row. One entry per row however often it
 * changes; the row's own `seq` makes late and repeated deliveries harmless.
 */
export function changed(ctx: Context, kind: OutboxKind, ref: string): void {
  const { store } = ctx
  if (kind === 'payment') store.run('UPDATE payment SET seq = seq + 1 WHERE id = ?', ref)
  if (kind === 'payout') store.run('UPDATE payout SET seq = seq + 1, updated_at = ? WHERE id = ?', ctx.now(), ref)
  store.run(
    'INSERT INTO outbox (kind, ref, seq) VALUES (?, ?, 1) ON CONFLICT (kind, ref) DO UPDATE SET seq = seq + 1',
    kind,
    ref,
  )
  ctx.wake('outbox', ctx.now() + 250)
}

/** A payout's change is told to its claim page as well. */
export function payoutChanged(ctx: Context, payoutId: string): void {
  changed(ctx, 'payout', payoutId)
  changed(ctx, 'desk', payoutId)
}
