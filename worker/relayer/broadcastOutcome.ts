import { RpcError, RpcUnavailable } from '../chain/types.ts'

/**
 * accepted: it is in a pool or mined. nonceTooLow: this account number is used up. underpriced: needs higher fees.
 * later: the same bytes may do later (no money, full pool, no answer). refused: these bytes never will.
 */
export type BroadcastOutcome = 'accepted' | 'nonceTooLow' | 'underpriced' | 'later' | 'refused'

/** The wording of geth, reth, erigon, nethermind and anvil: eth_sendRawTransaction has no codes for this. */
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
