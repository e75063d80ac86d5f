import { type Block, RpcUnavailable } from './types.ts'

/**
 * Returns the block. Throws RpcUnavailable if its time is further ahead of ours (`now`, ms) than MAX_CLOCK_SKEW_SECONDS
 * allows: a single wrong timestamp could set deadlines months ahead, release money too early or drop all waiting work.
 */
export function notAhead(block: Block, now: number, maxSkewSeconds: string | undefined): Block {
  const aheadSeconds = Math.round(block.timestamp - now / 1000)
  if (aheadSeconds > Number(maxSkewSeconds || Number.POSITIVE_INFINITY))
    throw new RpcUnavailable(`block ${block.number} is ${aheadSeconds} s ahead of our clock`)
  return block
}
