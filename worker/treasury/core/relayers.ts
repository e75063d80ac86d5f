import type { ChainId } from '../../chain/types.ts'
import { relayerName } from '../../relayer/api.ts'
import type { Context } from './context.ts'

export function relayerOf(ctx: Context, chainId: ChainId) {
  return ctx.env.RELAYER.getByName(relayerName(chainId, shardOf(ctx)))
}

/** The user's shard, chosen once and stored, because a retry must reach the Relayer that knows the intent. */
function shardOf(ctx: Context): number {
  ctx.shard ??= ctx.store.meta('shard') ?? chooseShard(ctx)
  return ctx.shard
}

function chooseShard(ctx: Context): number {
  let hash = 0
  for (const char of ctx.userId) hash = (hash * 31 + char.charCodeAt(0)) >>> 0
  const shard = hash % Math.max(1, Number(ctx.env.RELAYER_SHARDS))
  ctx.store.setMeta('shard', shard)
  return shard
}
