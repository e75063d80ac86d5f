/** Types of the chain adapter. Unix seconds and block numbers live here; the rest of the Worker speaks milliseconds. */
export type Address = `0x${string}`
export type Hex = `0x${string}`

export type ChainId = 8453 | 84532

/** Deployed contracts of one chain (env CONTRACTS_<chainId>). */
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

export type Block = { number: number /** unix seconds */; timestamp: number; hash: Hex }

/** AgentWallet.state() plus the block it was read in: one eth_call, so answers of two nodes are never mixed. */
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
  /** micro-USDC */
  remaining: bigint
  top: bigint
  seen: bigint
  /** USDC balance, micro-USDC */
  balance: bigint
  ownerNonce: bigint
}

export type Log = {
  address: Address
  topics: Hex[]
  data: Hex
  blockNumber: number
  transactionHash: Hex
  logIndex: number
}

export type LogFilter = {
  /** One address or several (any of). */
  address: Address | Address[]
  /** As in eth_getLogs: null matches anything, an array matches any of. */
  topics?: (Hex | Hex[] | null)[]
  fromBlock: number
  toBlock: number
}

/** The node answered that this call reverts (or the transaction is not acceptable): a definite no. */
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

/** No answer, a time-out, a broken answer: the outcome is unknown and must be treated as unknown. */
export class RpcUnavailable extends Error {
  override name = 'RpcUnavailable'
}

/**
 * Everything the Worker asks of one chain. Every call ends within 5 s: an answer, RpcError or RpcUnavailable.
 * Implemented by chain/rpcChain.ts over JSON-RPC; tests put a faulty proxy in front of a real node.
 */
export interface Chain {
  readonly chainId: ChainId
  readonly contracts: Contracts
  /** Newest block. */
  head(): Promise<Block>
  /** Newest finalized block. */
  finalized(): Promise<Block>
  /** At the newest block, or at a given one. Null when the address has no code yet. */
  walletState(wallet: Address, atBlock?: number): Promise<WalletState | null>
  /** At the newest block, or at a given one. */
  usdcBalance(address: Address, atBlock?: number): Promise<bigint>
  /** Several filters in one round trip, answers in order. `from: 'second'` asks the second RPC URL if there is one. */
  logs(filters: LogFilter[], from?: 'first' | 'second'): Promise<Log[][]>
  /** Does a second RPC URL exist? Then a release needs both. */
  readonly hasSecond: boolean
  code(address: Address): Promise<Hex>
  /** eth_call at the newest block, or at a given one; throws RpcError on revert. */
  call(tx: { to: Address; data: Hex; from?: Address; gas?: bigint }, atBlock?: number): Promise<Hex>
  estimateGas(tx: { to: Address; data: Hex; from: Address }): Promise<bigint>
  fees(): Promise<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }>
  accountNonce(address: Address, tag: 'latest' | 'pending'): Promise<number>
  nativeBalance(address: Address): Promise<bigint>
  sendRaw(raw: Hex): Promise<Hex>
  /** Null: this node knows no receipt, which proves nothing. */
  receipt(
    hash: Hex,
  ): Promise<{ status: 'success' | 'reverted'; blockNumber: number; gasUsed: bigint; logs: Log[] } | null>
}
