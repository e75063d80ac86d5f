import type { Context } from './context.ts'

/** What leaves the Treasury: two read-model rows, the claim page's copy, the claim link's index, mails, the watchdog's row. */
export type OutboxKind = 'payment' | 'payout' | 'desk' | 'link' | 'mail' | 'watch'

/** Lists see fresh rows laid over the read model, so that may come in larger batches; people wait for the rest. */
const delayMs = (kind: OutboxKind) => (kind === 'payment' || kind === 'payout' ? 3_000 : 100)

/** Note, in the transaction of a change, that others must be told of this row: one entry however often it changes. */
export function changed(ctx: Context, kind: OutboxKind, ref: string): void {
  const { store } = ctx
  if (kind === 'payout') store.run('UPDATE payout SET updated_at = ? WHERE id = ?', ctx.now(), ref)
  store.run(
    'INSERT INTO outbox (kind, ref, seq) VALUES (?, ?, 1) ON CONFLICT (kind, ref) DO UPDATE SET seq = seq + 1, failures = 0, due_at = 0',
    kind,
    ref,
  )
  ctx.wake('outbox', ctx.now() + delayMs(kind))
}

/** A payout's change is told to its claim page as well. */
export function payoutChanged(ctx: Context, payoutId: string): void {
  changed(ctx, 'payout', payoutId)
  changed(ctx, 'desk', payoutId)
}
