import type { Address, ChainId, Hex } from '../chain/types.ts'

/** A signed intent, or a permissionless call, that the Relayer shall bring on chain. Delivering twice is harmless. */
export type RelayItem = {
  /** Stable per signature: `${intent id}:${signature version}`. Submitting the same id again changes nothing. */
  id: string
  userId: string
  kind: 'send' | 'deploy' | 'announce' | 'claim' | 'reclaim' | 'rotate'
  /** The call when it travels alone. */
  target: Address
  data: Hex
  /** Set for `send`: travels packed through Relay.sends in a batch. */
  packed?: { wallet: Address; to: Address; amount: string; nonce: string; deadline: number; r: Hex; vs: Hex }
  /** Unix seconds of chain time; after it the item is dropped. */
  deadline: number
  /**
   * What must never exist twice with different contents, e.g. `${wallet}:${nonce}` → hash of recipient and amount.
   * The Relayer keeps it for ever and refuses another content under a known scope.
   */
  guard?: { scope: string; content: string }
}

export type SubmitResult = { accepted: string[]; refused: { id: string; reason: string }[] }

/** What the Relayer knows of an item: a hint for people, never proof of payment. */
export type RelayReport = {
  id: string
  state: 'waiting' | 'parked' | 'broadcast' | 'mined' | 'failed' | 'dropped'
  txHash?: Hex
  /** Plain reason when parked, failed or dropped. */
  reason?: string
}

/** Object name of a shard: one relayer account per chain and shard. */
export const relayerName = (chainId: ChainId, shard: number) => `${chainId}:${shard}`
