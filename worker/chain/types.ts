import type { ChainId } from '#domain/networks.ts'

export type { ChainId }

/** Types of the chain adapter. Times are unix seconds here and milliseconds in the rest of the Worker. */
export type Address = `0x${string}`
export type Hex = `0x${string}`

/** One set of the contracts deployed on a chain. */
export type Contracts = {
  usdc: Address
  escrow: Address
  /** Implementation behind each payout's clone. */
  vaultImplementation: Address
  provider: Address
  factory: Address
  walletImplementation: Address
  relay: Address
}

/**
 * The contracts of one chain, by version of their set (setting CONTRACTS_<chainId>). A wallet keeps the set it was created
 * with, because its code fixes the escrow of its payouts; only new wallets get the newest set. Without sets the network is
 * not in use.
 */
export type ContractSets = { readonly newest: number; readonly sets: Readonly<Record<number, Contracts>> }

export type Block = {
  number: number
  /** unix seconds */
  timestamp: number
  hash: Hex
  /** The hash of the block before it. Blocks that tests make up have none. */
  parentHash?: Hex
}

/** AgentWallet.state(), which includes the block it was read in: one eth_call never mixes the states of two nodes. */
export type WalletState = {
  blockNumber: number
  /** unix seconds */
  timestamp: number
  sessionKey: Address
  /** unix seconds, inclusive */
  validUntil: number
  epoch: number
  rotationDisabled: boolean
  sessionRevoked: boolean
  /** micro-USDC that sends may still use */
  remaining: bigint
  top: bigint
  seen: bigint
  /** USDC balance, micro-USDC */
  balance: bigint
  ownerNonce: bigint
  /** Whole USDC that purchases of this session may use in total. */
  purchaseAllowance: number
}

export type Log = {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: number
  blockHash: Hex
  transactionHash: Hex
  logIndex: number
}

export type LogFilter = {
  /** One address, or several, any of which may match. */
  address: Address | Address[]
  /** As in eth_getLogs: null matches anything, an array any of its items. */
  topics?: (Hex | Hex[] | null)[]
  fromBlock: number
  toBlock: number
}

/** A wallet whose state is read together with others'. */
export type WatchedAddress = { kind: 'smart' | 'imported'; address: Address }

/** The node rejected the request: the call reverts, or the transaction is not acceptable. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: string | undefined
  constructor(code: number, message: string, data?: string) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** No response, a timeout or a malformed result. The outcome is unknown and must be treated as such. */
export class RpcUnavailable extends Error {
  override name = 'RpcUnavailable'
}

/**
 * Everything the Worker needs from one chain. Every call settles within 5 s with a result, RpcError or RpcUnavailable.
 * chain/rpcChain.ts implements it over JSON-RPC; tests put a faulty proxy in front of a real node.
 */
export interface Chain {
  readonly chainId: ChainId
  readonly contractSets: ContractSets
  /** The same in every set. */
  readonly usdc: Address
  /** Newest block. */
  head(): Promise<Block>
  /** Newest finalized block. */
  finalized(): Promise<Block>
  /** The block with this number. Throws RpcUnavailable if the node does not have it, which proves nothing. */
  block(number: number, from?: 'first' | 'second'): Promise<Block>
  /** At the newest block, or at a given one. Null if the address has no code yet. */
  walletState(wallet: Address, atBlock?: number): Promise<WalletState | null>
  /** At the newest block, or at a given one. */
  usdcBalance(address: Address, atBlock?: number): Promise<bigint>
  /** Of several addresses at the newest block, in their order, by one call. */
  usdcBalances(addresses: readonly Address[]): Promise<bigint[]>
  /**
   * Digests of many wallets at a block that this node has, by one call (watchReader.ts). Throws RpcError if the node refuses a
   * call of this size.
   */
  digests(wallets: readonly WatchedAddress[], atBlock: number): Promise<Hex[]>
  /** Whether the token's issuer has blacklisted this address, so that transfers to and from it revert. */
  isBlacklisted(address: Address): Promise<boolean>
  /** Whether `oracle` lists this address. Throws RpcError or RpcUnavailable if it is not such a contract. */
  isSanctioned(oracle: Address, address: Address): Promise<boolean>
  /**
   * Several filters in one round trip, results in order. `from: 'second'` uses the second RPC URL; throws without one. Throws
   * RpcError if there are too many logs.
   */
  logs(filters: LogFilter[], from?: 'first' | 'second'): Promise<Log[][]>
  /** Passes every log of one block to `take`, however many there are, as they arrive. Settles within 20 s. */
  blockLogs(block: number, take: (log: Log) => void, from?: 'first' | 'second'): Promise<void>
  /** Whether there is a second RPC URL. A hold is then released only if both nodes agree. */
  readonly hasSecond: boolean
  code(address: Address): Promise<Hex>
  /** eth_call at the newest block, or at a given one. Throws RpcError on revert. */
  call(tx: { to: Address; data: Hex; from?: Address; gas?: bigint }, atBlock?: number): Promise<Hex>
  /** The newest block, and its fees in wei per gas. Unchecked, so the caller must apply a ceiling. */
  fees(): Promise<{ head: Block; baseFeePerGas: bigint; maxPriorityFeePerGas: bigint }>
  /** The account's next nonce. With `finalized`, all lower nonces are permanently used. */
  accountNonce(address: Address, tag: 'latest' | 'pending' | 'finalized'): Promise<number>
  nativeBalance(address: Address): Promise<bigint>
  sendRaw(raw: Hex): Promise<Hex>
  /** Null if this node has no receipt, which proves nothing. */
  receipt(
    hash: Hex,
  ): Promise<{ status: 'success' | 'reverted'; blockNumber: number; gasUsed: bigint; logs: Log[] } | null>
}
