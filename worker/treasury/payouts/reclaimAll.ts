import { formatUsdc } from '#domain/money.ts'
import type { ReclaimAllReply } from '#schemas/escrow.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import { ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { deliveryRefusal, freshStop } from '../core/stop.ts'
import { audit } from '../ledger/audit.ts'
import { fromColumn } from '../storage/columns.ts'
import type { PayoutRow } from '../storage/rows.ts'
import { reclaim } from './actions.ts'

/** Reclaims started per run; the next ones follow once these have been submitted. */
const batchSize = 25
const pauseMs = 250
const stoppedPauseMs = 5_000 // 5 seconds

/**
 * Marks every unclaimed payout for reclaim. The alarm does the rest, so the caller need not wait; calling it again in the
 * meantime adds payouts created since.
 */
export function reclaimAll(ctx: Context): Result<ReclaimAllReply> {
  const { store } = ctx
  return store.transaction((): Result<ReclaimAllReply> => {
    const targets = store.all<PayoutRow>("SELECT * FROM payout WHERE status = 'CREATED' ORDER BY created_at")
    // Only money on the primary network counts towards the total: test money has no value.
    const real = targets.filter(({ wallet_id }) => store.wallet(wallet_id)?.chain_id === primaryChain(ctx.env))
    const total = formatUsdc(real.reduce((sum, payout) => sum + fromColumn(payout.amount), 0n))
    if (targets.length === 0) return ok({ count: 0, total })
    store.run("UPDATE payout SET reclaim_asked_at = ? WHERE status = 'CREATED'", ctx.now())
    audit(store, ctx.now(), 'payout.reclaim_all', 'all', { count: targets.length, total })
    ctx.schedule('reclaim', ctx.now())
    return ok({ count: targets.length, total })
  })
}

/** Reclaims the next marked payouts. Returns when to continue (ms), or null if none is left. Throws RpcUnavailable. */
export async function continueReclaimAll(ctx: Context): Promise<number | null> {
  const { store } = ctx
  await freshStop(ctx)
  // The marks stay until reclaims may be sent again.
  if (deliveryRefusal(ctx)) return ctx.now() + stoppedPauseMs
  const asked = "status = 'CREATED' AND reclaim_asked_at IS NOT NULL"
  for (const { id } of store.all<PayoutRow>(`SELECT * FROM payout WHERE ${asked} LIMIT ${batchSize}`)) {
    const result = await reclaim(ctx, id, 'sender')
    if (!result.ok && result.code === 'payments_paused') return ctx.now() + stoppedPauseMs
    // Unmarked in any case, so that a payout that can't be reclaimed is not retried forever.
    store.run('UPDATE payout SET reclaim_asked_at = NULL WHERE id = ?', id)
  }
  return store.first(`SELECT 1 FROM payout WHERE ${asked} LIMIT 1`) ? ctx.now() + pauseMs : null
}
