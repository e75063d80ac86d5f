import { RpcError, RpcUnavailable } from '../chain/types.ts'

/**
 * accepted: it is in a pool or mined. nonceTooLow: its nonce is used. underpriced: it needs higher fees. later: the same
 * bytes may be accepted later (no gas money, full pool, no reply). refused: they never will be.
 */
export type BroadcastOutcome = 'accepted' | 'nonceTooLow' | 'underpriced' | 'later' | 'refused'

/**
 * Classifies the error of eth_sendRawTransaction. There are no error codes for this, so it matches the messages of geth,
 * reth, erigon, nethermind and anvil. Rethrows errors that are not a reply of the node.
 */
export function outcomeOf(error: unknown): BroadcastOutcome {
  if (error instanceof RpcUnavailable) return 'later'
  if (!(error instanceof RpcError)) throw error
  const text = error.message
  if (/already (known|imported)|alreadyknown|known transaction|already exists/i.test(text)) return 'accepted'
  if (/nonce too low|oldnonce|nonce has already been used|nonce.*lower than/i.test(text)) return 'nonceTooLow'
  if (/underpriced|fee too low|feetoolow|fee.*less than.*base ?fee|below.*base ?fee/i.test(text)) return 'underpriced'
  if (/intrinsic gas|exceeds .*gas limit|gas limit (reached|too high)|oversized|invalid|exceeds.*cap/i.test(text)) {
    return 'refused'
  }
  return 'later'
}
