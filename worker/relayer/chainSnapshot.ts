import type { Address, Block, Chain, Hex } from '../chain/types.ts'
import type { FeeReading, Fees } from './fees.ts'

export type Receipt = NonNullable<Awaited<ReturnType<Chain['receipt']>>>

/** The state of the chain as one step has read it. */
export type ChainSnapshot = {
  head: Block
  feeReading: FeeReading
  /** The account's next nonce by mined transactions: the chain's, to which the submitter adds `firstNonce`. */
  nonce: number
  /** The same, counting the pool as well; read only while our own next nonce is unknown, otherwise equal to `nonce`. */
  pendingNonce: number
  receipts: Map<Hex, Receipt>
}

/** A snapshot with fees within the ceilings, so that transactions may be sent. */
export type SendingSnapshot = ChainSnapshot & { fees: Fees }

/** Reads everything in one round trip. Throws RpcUnavailable. */
export async function readChainSnapshot(
  chain: Chain,
  account: Address,
  hashes: readonly Hex[],
  isNonceUnknown: boolean,
): Promise<ChainSnapshot> {
  const [head, feeReading, nonce, pendingNonce, receipts] = await Promise.all([
    chain.head(),
    chain.fees(),
    chain.accountNonce(account, 'latest'),
    isNonceUnknown ? chain.accountNonce(account, 'pending') : 0,
    readReceipts(chain, hashes),
  ])
  return { head, feeReading, nonce, pendingNonce: Math.max(nonce, pendingNonce), receipts }
}

/** Receipts by transaction hash; hashes the node does not know are left out. Throws RpcUnavailable. */
export async function readReceipts(chain: Chain, hashes: readonly Hex[]): Promise<Map<Hex, Receipt>> {
  const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash)))
  return new Map(hashes.flatMap((hash, i) => (receipts[i] ? [[hash, receipts[i]] as const] : [])))
}
