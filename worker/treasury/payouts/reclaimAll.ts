import { formatUsdc } from '#domain/money.ts'
import type { ReclaimAllReply } from '#schemas/escrow.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import { ok, type Result } from '../../result.ts'
import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import { deliveryRefusal, freshStop } from '../operators/stop.ts'
import { fromColumn } from '../storage/columns.ts'
import type { PayoutRow } from '../storage/rows.ts'
import { reclaim } from './actions.ts'

/** Reclaims started at once; the next ones follow after these were submitted. */
const batchSize = 25
const pauseMs = 250
const stoppedPauseMs = 5_000 // 5 seconds

/**
 * Marks every payout that waits for its recipient for reclaim. The alarm does the rest, so the caller need not wait;
 * calling again meanwhile adds what was created since.
 */
export function reclaimAll(ctx: Context): Result<ReclaimAllReply> {
  const { store } = ctx
  return store.transaction((): Result<ReclaimAllReply> => {
    const targets = store.all<PayoutRow>("SELECT * FROM payout WHERE status = 'CREATED' ORDER BY created_at")
    // Only the primary network's money counts: test money is not money.
    const real = targets.filter(({ wallet_id }) => store.wallet(wallet_id)?.chain_id === primaryChain(ctx.env))
    const total = formatUsdc(real.reduce((sum, payout) => sum + fromColumn(payout.amount), 0n))
    if (targets.length === 0) return ok({ count: 0, total })
    store.run("UPDATE payout SET reclaim_asked_at = ? WHERE status = 'CREATED'", ctx.now())
    audit(store, ctx.now(), 'payout.reclaim_all', 'all', { count: targets.length, total })
    ctx.schedule('reclaim', ctx.now())
    return ok({ count: targets.length, total })
  })
}

/** Reclaims the next marked payouts. Returns when to continue (ms), null when none is left. Throws RpcUnavailable. */
export async function continueReclaimAll(ctx: Context): Promise<number | null> {
  const { store } = ctx
  await freshStop(ctx)
  // The marks stay until reclaims are sent again.
  if (deliveryRefusal(ctx)) return ctx.now() + stoppedPauseMs
  const asked = "status = 'CREATED' AND reclaim_asked_at IS NOT NULL"
  for (const { id } of store.all<PayoutRow>(`SELECT * FROM payout WHERE ${asked} LIMIT ${batchSize}`)) {
    const result = await reclaim(ctx, id, 'sender')
    if (!result.ok && result.code === 'payments_paused') return ctx.now() + stoppedPauseMs
    // Unmarked in any case: a claim that was faster must not be asked about for ever.
    store.run('UPDATE payout SET reclaim_asked_at = NULL WHERE id = ?', id)
  }
  return store.first(`SELECT 1 FROM payout WHERE ${asked} LIMIT 1`) ? ctx.now() + pauseMs : null
}
