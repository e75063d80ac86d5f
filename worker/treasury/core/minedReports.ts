import { blockMs } from '#domain/networks.ts'
import type { ChainId, Log } from '../../chain/types.ts'
import { confirmedBlock, heads } from './chainHeads.ts'
import type { Context } from './context.ts'
import { inMemory } from './memory.ts'

/** Newest block in which the Relayer has reported one of our transactions, and when (ms). */
const mined = inMemory(() => new Map<ChainId, { block: number; reportedAt: number }>())

/** By wallet: the logs that the Relayer reported of sends, until they have been read or can't be used (reportedSends.ts). */
export const minedLogs = inMemory(() => new Map<string, Log[]>())

/**
 * What the Relayer reports as mined decides when the chain is read. What is booked, and how deep it is, comes from the Treasury's
 * own reading, or from reported logs that this reading proves. A false report costs readings, and a lost one costs time.
 */

/** How often the chain is read for what is open when the Relayer reports nothing. */
export const settleEveryMs = 15_000 // 15 seconds
/** The same while payments are not signed yet, for example because the node did not respond. */
export const signEveryMs = 500
/** Nodes have a block about this long after its timestamp. */
const arrivalMs = 300
/** Nodes behind one URL differ: a block that one of them lacks is asked for again after this long. */
const retryMs = 500
/** A reported block that our node does not get within this time is forgotten. */
const believedMs = 30_000 // 30 seconds

/** Starts settling once the reported block is expected to be CONFIRM_DEPTH deep. */
export function expectMined(ctx: Context, chainId: ChainId, block: number): void {
  const known = mined(ctx).get(chainId)
  if (!known || known.block < block) mined(ctx).set(chainId, { block, reportedAt: ctx.now() })
  ctx.schedule('settle', expectedAt(ctx, chainId, block))
}

/** When to read the chain again for blocks that were reported but not reached (ms); null if there are none. */
export function nextMinedAt(ctx: Context): number | null {
  const waits: number[] = []
  for (const [chainId, { block, reportedAt }] of mined(ctx)) {
    const head = heads(ctx).get(chainId)?.block
    const isReached = head !== undefined && confirmedBlock(ctx, head) >= block
    if (isReached || Math.abs(ctx.now() - reportedAt) >= believedMs) mined(ctx).delete(chainId)
    else waits.push(Math.max(ctx.now() + retryMs, expectedAt(ctx, chainId, block)))
  }
  return waits.length === 0 ? null : Math.min(...waits)
}

/** Estimated from the newest block that this Treasury has read itself, but no later than if the block were new now. */
function expectedAt(ctx: Context, chainId: ChainId, block: number): number {
  const now = ctx.now()
  const missing = Number(ctx.env.CONFIRM_DEPTH) - 1
  const head = heads(ctx).get(chainId)?.block
  const latest = now + missing * blockMs
  if (missing === 0 || !head) return latest
  const estimate = head.timestamp * 1000 + (block + missing - head.number) * blockMs + arrivalMs
  return Math.min(Math.max(now, estimate), latest + arrivalMs)
}
