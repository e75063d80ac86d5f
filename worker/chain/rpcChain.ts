import { toFunctionSelector } from 'viem/utils'
import { revertReason } from './revert.ts'
import * as answers from './rpcAnswers.ts'
import { RpcClient } from './rpcClient.ts'
import {
  type Address,
  type Block,
  type Chain,
  type ChainId,
  type Contracts,
  type Hex,
  type Log,
  type LogFilter,
  RpcError,
  RpcUnavailable,
  type WalletState,
} from './types.ts'

const stateSelector = toFunctionSelector('state()')
const balanceOfSelector = toFunctionSelector('balanceOf(address)')

const toHex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const padAddress = (address: Address): string => address.slice(2).toLowerCase().padStart(64, '0')

/** A chain behind one or two JSON-RPC URLs; calls of one turn share a round trip. The second answers only `logs`. */
export class RpcChain implements Chain {
  readonly chainId: ChainId
  readonly contracts: Contracts
  readonly #first: RpcClient
  readonly #second: RpcClient | undefined

  constructor(chainId: ChainId, contracts: Contracts, urls: string[]) {
    const [first, second] = urls
    if (!first) throw new Error(`no RPC URL for chain ${chainId}`)
    this.chainId = chainId
    this.contracts = contracts
    this.#first = new RpcClient(first)
    this.#second = second ? new RpcClient(second) : undefined
  }

  get hasSecond(): boolean {
    return this.#second !== undefined
  }

  async head(): Promise<Block> {
    return this.#block('latest')
  }

  /**
   * With two nodes the older of their answers: neither is then asked about a block it has not got. Both must know it by
   * the same time, since money goes back by it. Throws RpcUnavailable when they do not.
   */
  async finalized(): Promise<Block> {
    if (!this.#second) return this.#block('finalized')
    const [first, second] = await Promise.all([this.#block('finalized'), this.#block('finalized', this.#second)])
    const [older, other] = second.number < first.number ? [second, this.#first] : [first, this.#second]
    const same = await this.#block(toHex(older.number), other)
    if (same.number !== older.number || same.timestamp !== older.timestamp)
      throw new RpcUnavailable(`the nodes disagree about block ${older.number}`)
    return older
  }

  async walletState(wallet: Address, atBlock?: number): Promise<WalletState | null> {
    return answers.walletState(await this.call({ to: wallet, data: stateSelector }, atBlock))
  }

  async usdcBalance(address: Address, atBlock?: number): Promise<bigint> {
    const data: Hex = `${balanceOfSelector}${padAddress(address)}`
    return answers.word(await this.call({ to: this.contracts.usdc, data }, atBlock), 0)
  }

  async logs(filters: LogFilter[], from: 'first' | 'second' = 'first'): Promise<Log[][]> {
    const client = from === 'first' ? this.#first : this.#second
    if (!client) throw new RpcUnavailable('no second RPC URL')
    return Promise.all(
      filters.map(async ({ address, topics, fromBlock, toBlock }) => {
        const filter = { address, topics: topics ?? [], fromBlock: toHex(fromBlock), toBlock: toHex(toBlock) }
        return answers.logs(await client.request('eth_getLogs', [filter]))
      }),
    )
  }

  async code(address: Address): Promise<Hex> {
    return answers.hex(await this.#first.request('eth_getCode', [address, 'latest']), 'code')
  }

  async call(tx: { to: Address; data: Hex; from?: Address; gas?: bigint }, atBlock?: number): Promise<Hex> {
    const { gas, ...rest } = tx
    const block = atBlock === undefined ? 'latest' : toHex(atBlock)
    const params = [{ ...rest, ...(gas === undefined ? {} : { gas: toHex(gas) }) }, block]
    return answers.hex(await this.#first.request('eth_call', params).catch(explainRevert), 'call')
  }

  async estimateGas(tx: { to: Address; data: Hex; from: Address }): Promise<bigint> {
    return answers.quantity(await this.#first.request('eth_estimateGas', [tx]).catch(explainRevert), 'gas')
  }

  /** Room for the base fee to double: about six full blocks. */
  async fees(): Promise<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }> {
    const [head, priority] = await Promise.all([
      this.#block('latest'),
      this.#first.request('eth_maxPriorityFeePerGas', []),
    ])
    const maxPriorityFeePerGas = answers.quantity(priority, 'priority fee')
    return { maxFeePerGas: head.baseFeePerGas * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
  }

  async accountNonce(address: Address, tag: 'latest' | 'pending'): Promise<number> {
    return answers.integer(await this.#first.request('eth_getTransactionCount', [address, tag]), 'account nonce')
  }

  async nativeBalance(address: Address): Promise<bigint> {
    return answers.quantity(await this.#first.request('eth_getBalance', [address, 'latest']), 'balance')
  }

  async sendRaw(raw: Hex): Promise<Hex> {
    return answers.hash(await this.#first.request('eth_sendRawTransaction', [raw]), 'transaction hash')
  }

  async receipt(hash: Hex): Promise<answers.RpcReceipt | null> {
    return answers.receipt(await this.#first.request('eth_getTransactionReceipt', [hash]))
  }

  async #block(tag: 'latest' | 'finalized' | Hex, client = this.#first): Promise<answers.RpcBlock> {
    return answers.block(await client.request('eth_getBlockByNumber', [tag, false]))
  }
}

/** The node's "execution reverted" with the name of the contract's error in its place. */
function explainRevert(error: unknown): never {
  if (error instanceof RpcError) {
    const reason = revertReason(error.data as Hex | undefined)
    if (reason) throw new RpcError(error.code, reason, error.data)
  }
  throw error
}
