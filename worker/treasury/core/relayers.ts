import type { ChainId } from '../../chain/types.ts'
import { relayerName } from '../../relayer/api.ts'
import type { Context } from './context.ts'
import { inMemory } from './memory.ts'

/** The user's Relayer shard. Null until it has been read. */
export const shard = inMemory((): { number: number | null } => ({ number: null }))

export function relayerOf(ctx: Context, chainId: ChainId) {
  return ctx.env.RELAYER.getByName(relayerName(chainId, shardOf(ctx)))
}

/** The user's shard, chosen once and stored, because a retry must reach the Relayer that knows the intent. */
function shardOf(ctx: Context): number {
  const known = shard(ctx)
  known.number ??= ctx.store.meta('shard') ?? chooseShard(ctx)
  return known.number
}

/** The same number for the same id: 32 bits, spread over ids. */
export function numberOf(id: string): number {
  let hash = 0
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0
  return hash
}

function chooseShard(ctx: Context): number {
  const chosen = numberOf(ctx.userId) % Math.max(1, Number(ctx.env.RELAYER_SHARDS))
  ctx.store.setMeta('shard', chosen)
  return chosen
}
