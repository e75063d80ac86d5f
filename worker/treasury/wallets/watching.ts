import type { Sighting } from '#domain/watch.ts'
import { within } from '../../durable/within.ts'
import { watchName } from '../../watch/api.ts'
import type { Context } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { idleOf, recordWatchShard } from './idleReads.ts'

/** A reading must not wait longer for Watch: without it, the wallet reads itself more often. */
const timeoutMs = 2_000 // 2 seconds
/** Each has 50,000 wallets. */
const maxShards = 100

/** What the books have of the wallet; null if its logs must be read first. */
export function bookedState(ctx: Context, { id }: WalletRow): Sighting | null {
  const { state } = idleOf(ctx, id)
  return state === null ? null : { digest: state, block: ctx.store.wallet(id)!.scanned_block }
}

/**
 * Tells Watch what was read of an idle wallet. Returns true if Watch confirms that it reads the wallet, so that a change is heard
 * of. Never throws.
 */
export async function watch(ctx: Context, wallet: WalletRow): Promise<boolean> {
  const booked = bookedState(ctx, wallet)
  if (booked === null) return false
  const { id, chain_id, kind, address } = wallet
  const input = { userId: ctx.userId, walletId: id, kind, address, ...booked }
  const { watch_shard } = idleOf(ctx, id)
  try {
    for (let shard = watch_shard; shard < maxShards; shard++) {
      const renewal = await within(timeoutMs, () => ctx.env.WATCH.getByName(watchName(chain_id, shard)).renew(input))
      if (renewal === 'full') continue
      if (shard !== watch_shard) recordWatchShard(ctx, id, shard)
      return renewal === 'confirmed'
    }
  } catch {
    // Operators are alerted by Watch's own state.
  }
  return false
}

/** Wallets that Watch has seen change and that have not been read since. */
export const hinted = inMemory(() => new Set<string>())
