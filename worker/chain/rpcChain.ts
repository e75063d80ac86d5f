import { type Abi, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { decodeErrorResult, numberToHex } from 'viem/utils'
import {
  agentWalletAbi,
  agentWalletFactoryAbi,
  payoutEscrowAbi,
  payoutVaultAbi,
  providerAbi,
  relayAbi,
  usdcAbi,
} from './abi.ts'
import { balancesCall, decodeBalances } from './balanceReader.ts'
import { newestContracts } from './contractSets.ts'
import { type ContractSettings, contractSetsOf, type RpcSettings, rpcUrls } from './networkSettings.ts'
import { RpcClient } from './rpcClient.ts'
import * as results from './rpcResults.ts'
import {
  type Address,
  type Block,
  type Chain,
  type ChainId,
  type ContractSets,
  type Hex,
  type Log,
  type LogFilter,
  RpcError,
  RpcUnavailable,
  type WalletState,
  type WatchedAddress,
} from './types.ts'
import { decodeDigests, digestsCall } from './watchReader.ts'

/** A chain behind one or two JSON-RPC URLs. Concurrent calls share a round trip. The second node confirms the first. */
export class RpcChain implements Chain {
  readonly chainId: ChainId
  readonly contractSets: ContractSets
  readonly #first: RpcClient
  readonly #second: RpcClient | undefined

  constructor(chainId: ChainId, contractSets: ContractSets, urls: string[]) {
    const [first, second] = urls
    if (!first) throw new Error(`no RPC URL for chain ${chainId}`)
    this.chainId = chainId
    this.contractSets = contractSets
    this.#first = new RpcClient(first)
    this.#second = second ? new RpcClient(second) : undefined
  }

  get usdc(): Address {
    return newestContracts(this).usdc
  }

  get hasSecond(): boolean {
    return this.#second !== undefined
  }

  async head(): Promise<Block> {
    return this.#block('latest')
  }

  /**
   * With two nodes, returns the older of their finalized blocks, so that neither is asked about a block it does not have.
   * Both must agree on it, because money is released based on it. Throws RpcUnavailable if they do not.
   */
  async finalized(): Promise<Block> {
    if (!this.#second) return this.#block('finalized')
    const [first, second] = await Promise.all([this.#block('finalized'), this.#block('finalized', this.#second)])
    const [older, other] = second.number < first.number ? [second, this.#first] : [first, this.#second]
    const same = await this.#block(numberToHex(older.number), other)
    // On Base the timestamp follows from the number, so competing blocks have the same one: the hash must be compared too.
    if (same.number !== older.number || same.timestamp !== older.timestamp || same.hash !== older.hash)
      throw new RpcUnavailable(`the nodes disagree about block ${older.number}`)
    return older
  }

  async block(number: number, from: 'first' | 'second' = 'first'): Promise<Block> {
    const block = await this.#block(numberToHex(number), this.#client(from))
    if (block.number !== number) throw new RpcUnavailable(`asked for block ${number}, got ${block.number}`)
    return block
  }

  async walletState(wallet: Address, atBlock?: number): Promise<WalletState | null> {
    return decodeWalletState(await this.call({ to: wallet, data: walletStateCall }, atBlock))
  }

  async usdcBalance(address: Address, atBlock?: number): Promise<bigint> {
    return decodeBalance(await this.call({ to: this.usdc, data: balanceOfCall(address) }, atBlock))
  }

  async usdcBalances(addresses: readonly Address[]): Promise<bigint[]> {
    const result = await this.#first.request('eth_call', [{ data: balancesCall(this.usdc, addresses) }, 'latest'])
    const balances = decodeBalances(results.hex(result, 'call'), addresses.length)
    if (balances === null) throw new RpcUnavailable('malformed result: balances')
    return balances
  }

  async digests(wallets: readonly WatchedAddress[], atBlock: number): Promise<Hex[]> {
    const params = [{ data: digestsCall(this.usdc, wallets) }, numberToHex(atBlock)]
    const read = decodeDigests(results.hex(await this.#first.request('eth_call', params), 'call'), wallets.length)
    if (read?.block !== atBlock) throw new RpcUnavailable('malformed result: digests')
    return read.digests
  }

  async isBlacklisted(address: Address): Promise<boolean> {
    return decodeIsBlacklisted(await this.call({ to: this.usdc, data: isBlacklistedCall(address) }))
  }

  async isSanctioned(oracle: Address, address: Address): Promise<boolean> {
    return decodeIsSanctioned(await this.call({ to: oracle, data: isSanctionedCall(address) }))
  }

  async logs(filters: LogFilter[], from: 'first' | 'second' = 'first'): Promise<Log[][]> {
    const client = this.#client(from)
    return Promise.all(
      filters.map(async ({ address, topics, fromBlock, toBlock }) => {
        const filter = {
          address,
          topics: topics ?? [],
          fromBlock: numberToHex(fromBlock),
          toBlock: numberToHex(toBlock),
        }
        return results.logs(await client.request('eth_getLogs', [filter], true))
      }),
    )
  }

  async blockLogs(block: number, take: (log: Log) => void, from: 'first' | 'second' = 'first'): Promise<void> {
    const shared = new Map<Hex, Hex>()
    await this.#client(from).stream('eth_getBlockReceipts', [numberToHex(block)], (item) => {
      // A receipt without logs has no objects inside either.
      if (typeof item === 'object' && item !== null && 'topics' in item) take(results.log(item, shared))
    })
  }

  #client(from: 'first' | 'second'): RpcClient {
    const client = from === 'first' ? this.#first : this.#second
    if (!client) throw new RpcUnavailable('no second RPC URL')
    return client
  }

  async code(address: Address): Promise<Hex> {
    return results.hex(await this.#first.request('eth_getCode', [address, 'latest']), 'code')
  }

  async call(tx: { to: Address; data: Hex; from?: Address; gas?: bigint }, atBlock?: number): Promise<Hex> {
    const { gas, ...rest } = tx
    const block = atBlock === undefined ? 'latest' : numberToHex(atBlock)
    const params = [{ ...rest, ...(gas === undefined ? {} : { gas: numberToHex(gas) }) }, block]
    return results.hex(await this.#first.request('eth_call', params).catch(explainRevert), 'call')
  }

  async fees(): Promise<{ head: Block; baseFeePerGas: bigint; maxPriorityFeePerGas: bigint }> {
    const [{ baseFeePerGas, ...head }, priority] = await Promise.all([
      this.#block('latest'),
      this.#first.request('eth_maxPriorityFeePerGas', []),
    ])
    return { head, baseFeePerGas, maxPriorityFeePerGas: results.quantity(priority, 'priority fee') }
  }

  async accountNonce(address: Address, tag: 'latest' | 'pending' | 'finalized'): Promise<number> {
    return results.integer(await this.#first.request('eth_getTransactionCount', [address, tag]), 'account nonce')
  }

  async nativeBalance(address: Address): Promise<bigint> {
    return results.quantity(await this.#first.request('eth_getBalance', [address, 'latest']), 'balance')
  }

  async sendRaw(raw: Hex): Promise<Hex> {
    return results.hash(await this.#first.request('eth_sendRawTransaction', [raw]), 'transaction hash')
  }

  async receipt(hash: Hex): Promise<results.RpcReceipt | null> {
    return results.receipt(await this.#first.request('eth_getTransactionReceipt', [hash]))
  }

  async #block(tag: 'latest' | 'finalized' | Hex, client = this.#first): Promise<results.RpcBlock> {
    return results.block(await client.request('eth_getBlockByNumber', [tag, false]))
  }
}

/** Replaces the node's "execution reverted" by the contract's error. */
function explainRevert(error: unknown): never {
  if (error instanceof RpcError) {
    const reason = revertReason(error.data as Hex | undefined)
    if (reason) throw new RpcError(error.code, reason, error.data)
  }
  throw error
}

/** The chains of this environment. No requests are made until first use. Must not be shared across requests. */
export function chainsFrom(settings: RpcSettings & ContractSettings): Record<ChainId, Chain> {
  const chain = (chainId: ChainId) =>
    new RpcChain(chainId, contractSetsOf(settings, chainId), rpcUrls(settings, chainId))
  return { 8453: chain(8453), 84532: chain(84532) }
}

const contractErrors: Abi = [
  ...agentWalletAbi,
  ...agentWalletFactoryAbi,
  ...payoutEscrowAbi,
  ...payoutVaultAbi,
  ...providerAbi,
  ...relayAbi,
  ...usdcAbi,
].filter((item) => item.type === 'error')

/**
 * Describes revert data: `WrongEpoch(1, 2)` for an error of our contracts, the text of `require` for USDC's. Null if the
 * data is empty or unknown.
 */
export function revertReason(data: Hex | undefined): string | null {
  if (!data || data.length < 10) return null
  try {
    const { errorName, args } = decodeErrorResult({ abi: contractErrors, data })
    if (errorName === 'Error') return String(args?.[0])
    return args?.length ? `${errorName}(${args.join(', ')})` : errorName
  } catch {
    return null
  }
}

/** Read-only calls and decoders of their results. Decoders throw RpcUnavailable if a result does not match the ABI. */

export const walletStateCall = encodeFunctionData({ abi: agentWalletAbi, functionName: 'state' })

/** Null if the address has no code. */
export function decodeWalletState(data: Hex): WalletState | null {
  if (data === '0x') return null
  const state = strictly('wallet state', () =>
    decodeFunctionResult({ abi: agentWalletAbi, functionName: 'state', data }),
  )
  const { blockNumber, timestamp, sessionKey, validUntil, epoch, rotationDisabled, sessionRevoked } = state
  const { remaining, top, seen, balance, ownerNonce, purchaseAllowance } = state
  return {
    blockNumber: Number(blockNumber),
    timestamp: Number(timestamp),
    sessionKey: sessionKey.toLowerCase() as Address,
    validUntil,
    epoch,
    rotationDisabled,
    sessionRevoked,
    remaining,
    top,
    seen,
    balance,
    ownerNonce,
    purchaseAllowance,
  }
}

export const balanceOfCall = (account: Address): Hex =>
  encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [account.toLowerCase() as Address] })

export const decodeBalance = (data: Hex): bigint =>
  strictly('balance', () => decodeFunctionResult({ abi: usdcAbi, functionName: 'balanceOf', data }))

export const isBlacklistedCall = (account: Address): Hex =>
  encodeFunctionData({ abi: usdcAbi, functionName: 'isBlacklisted', args: [account.toLowerCase() as Address] })

export const decodeIsBlacklisted = (data: Hex): boolean =>
  strictly('isBlacklisted', () => decodeFunctionResult({ abi: usdcAbi, functionName: 'isBlacklisted', data }))

export const oracleAbi = parseAbi(['function isSanctioned(address account) view returns (bool)'])

export const isSanctionedCall = (account: Address): Hex =>
  encodeFunctionData({ abi: oracleAbi, functionName: 'isSanctioned', args: [account.toLowerCase() as Address] })

export const decodeIsSanctioned = (data: Hex): boolean =>
  strictly('isSanctioned', () => decodeFunctionResult({ abi: oracleAbi, functionName: 'isSanctioned', data }))

function strictly<T>(what: string, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw new RpcUnavailable(`malformed result: ${what}`, { cause })
  }
}
