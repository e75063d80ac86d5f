import type { ChainId } from '../../chain/types.ts'
import { freshHead } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { knownSets } from '../core/contracts.ts'
import type { PayoutRow } from '../storage/rows.ts'
import { reclaim } from './actions.ts'

/** Starts reclaims of payouts that have expired by chain time, at most 25 per call. */
export async function reclaimExpired(ctx: Context, chainId: ChainId): Promise<void> {
  const expired = (time: number) =>
    ctx.store.all<PayoutRow>(
      `SELECT payout.* FROM payout JOIN wallet ON wallet.id = payout.wallet_id
         WHERE (payout.status = 'CREATED' OR (payout.status = 'CREATING' AND payout.funded = 1)) AND wallet.chain_id = ? AND payout.expires_at <= ?
           AND payout.contract_set IN (SELECT value FROM json_each(?)) LIMIT 25`,
      chainId,
      time,
      JSON.stringify(knownSets(ctx, chainId)),
    )
  if (expired(ctx.now()).length === 0) return
  const head = await freshHead(ctx, chainId)
  for (const payout of expired(head.timestamp * 1000)) await reclaim(ctx, payout.id, 'expiry')
}

/** When the next payout expires or the next shown code is to be erased (ms), or null if there is none. */
export function nextExpiryAt({ store }: Context): number | null {
  const earliest = (query: string) => store.first<{ at: number | null }>(query)?.at ?? null
  const payout = earliest("SELECT min(expires_at) AS at FROM payout WHERE status IN ('CREATING','CREATED','CLAIMING')")
  const code = earliest('SELECT min(code_until) AS at FROM payout WHERE sealed_code IS NOT NULL')
  if (payout === null || code === null) return payout ?? code
  return Math.min(payout, code)
}
