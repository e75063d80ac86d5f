import { type Block, RpcUnavailable } from './types.ts'

/**
 * The block, unless its time is further ahead of ours (`now`, ms) than MAX_CLOCK_SKEW_SECONDS allows: one wild timestamp
 * would make deadlines of months, release money too early, or drop everything that waits. Throws RpcUnavailable.
 */
export function notAhead(block: Block, now: number, maxSkewSeconds: string | undefined): Block {
  const aheadSeconds = Math.round(block.timestamp - now / 1000)
  if (aheadSeconds > Number(maxSkewSeconds || Number.POSITIVE_INFINITY))
    throw new RpcUnavailable(`block ${block.number} is ${aheadSeconds} s ahead of our clock`)
  return block
}
