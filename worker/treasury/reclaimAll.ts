import { formatUsdc } from '../domain/money.ts'
import type { Result } from '../errors.ts'
import type { ReclaimAllReply } from '../schemas/escrow.ts'
import { audit } from './audit.ts'
import type { Context } from './context.ts'
import { reclaim } from './payouts.ts'
import { type PayoutRow, usd } from './store.ts'

/** Started in one go; the next ones follow when these are handed over. */
const batchSize = 25
const pauseMs = 250

/**
 * Asks for every payout that waits for its recipient. It goes on by itself, so the caller may leave; asking again while
 * it runs asks for what came since (decisions.md 35).
 */
export function reclaimAll(ctx: Context): Result<ReclaimAllReply> {
  const { store } = ctx
  return store.transaction((): Result<ReclaimAllReply> => {
    const targets = store.all<PayoutRow>("SELECT * FROM payout WHERE status = 'CREATED' ORDER BY created_at")
    const total = formatUsdc(targets.reduce((sum, payout) => sum + usd(payout.amount), 0n))
    if (targets.length === 0) return { ok: true, value: { count: 0, total } }
    store.run("UPDATE payout SET reclaim_asked_at = ? WHERE status = 'CREATED'", ctx.now())
    audit(store, ctx.now(), 'payouts.reclaimAll', 'all', { count: targets.length, total })
    ctx.wake('reclaim', ctx.now())
    return { ok: true, value: { count: targets.length, total } }
  })
}

/** The next few of those asked for. When to go on (ms), null when none is left. Throws RpcUnavailable. */
export async function continueReclaimAll(ctx: Context): Promise<number | null> {
  const { store } = ctx
  const asked = "status = 'CREATED' AND reclaim_asked_at IS NOT NULL"
  for (const { id } of store.all<PayoutRow>(`SELECT * FROM payout WHERE ${asked} LIMIT ${batchSize}`)) {
    await reclaim(ctx, id, 'sender')
    // Whatever came of it: a claim that was faster is no reason to ask for ever.
    store.run('UPDATE payout SET reclaim_asked_at = NULL WHERE id = ?', id)
  }
  return store.first(`SELECT 1 FROM payout WHERE ${asked} LIMIT 1`) ? ctx.now() + pauseMs : null
}
