import type { Refused } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'
import { limitRefusal } from './limitRefusal.ts'

const retryMs = 10_000 // 10 seconds: a few blocks, by which time earlier payments have been signed

/** Limits how many payments of one agent may wait for a signature. More are refused before anything is held. */
export function queueRefusal(ctx: Context, wallet: WalletRow, agentId: string | null): Refused | null {
  if (agentId === null) return null
  const { agentQueued } = ctx.limits
  if (queuedOf(ctx, wallet.id, agentId) < agentQueued) return null
  const now = ctx.now()
  return limitRefusal(
    'queue_full',
    {
      rule: 'limits.queue',
      message: `${agentQueued} payments of this agent are queued, which is the limit. They are sent as earlier ones are confirmed.`,
      next: 'Wait until resets_at, then send the request again with the same Idempotency-Key.',
      resetsAt: now + retryMs,
    },
    now,
  )
}

/** Number of the principal's queued payments, counted up to the limit of one agent. */
export const queuedOf = (ctx: Context, walletId: string, agentId: string | null): number =>
  ctx.store.cached(
    'payment',
    `queued ${walletId} ${agentId}`,
    () =>
      ctx.store.first<{ n: number }>(
        "SELECT count(*) AS n FROM (SELECT 1 FROM payment WHERE status = 'QUEUED' AND wallet_id = ? AND agent_id IS ? LIMIT ?)",
        walletId,
        agentId,
        Math.max(1, Math.ceil(ctx.limits.agentQueued)),
      )!.n,
  )
