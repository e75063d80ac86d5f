import { signTransaction } from '#chain/transaction.ts'
import type { Hex } from '#chain/types.ts'

export type Log = { address: Hex; topics: Hex[]; data: Hex; blockNumber: Hex }
/** Called with the block that a search has reached; returns false to stop the search. */
export type OnProgress = (block: number) => boolean

/** The node refused a request (`refused`) or did not respond. */
export class NodeProblem extends Error {
  override name = 'NodeProblem'
  readonly refused: boolean
  constructor(message: string, refused: boolean) {
    super(message)
    this.refused = refused
  }
}

const timeoutMs = 20_000 // 20 seconds
const receiptMs = 1_000 // 1 second
const minedWithinMs = 180_000 // 3 minutes
/** Blocks per request if a node refuses to search the whole chain in one. Many public nodes allow 10,000, some fewer. */
const firstRange = 10_000

/** An Ethereum node over HTTP. Plain JSON-RPC without a library, since the page needs no more. */
export class EthereumNode {
  readonly #url: string
  constructor(url: string) {
    this.#url = url
  }

  /** Throws NodeProblem. */
  async request<T>(method: string, ...params: unknown[]): Promise<T> {
    let reply: { result?: T; error?: { message?: string } }
    try {
      const options = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
        referrerPolicy: 'no-referrer',
        credentials: 'omit',
      } as const
      const response = await fetch(this.#url, options)
      reply = await response.json()
    } catch {
      throw new NodeProblem('The RPC URL does not respond. Check it, or try another one.', false)
    }
    if (reply.error) throw new NodeProblem(`The node refused: ${reply.error.message ?? method}`, true)
    return reply.result as T
  }

  call = (to: Hex, data: Hex) => this.request<Hex>('eth_call', { to, data }, 'latest')
  quantity = async (method: string, ...params: unknown[]) => BigInt(await this.request<Hex>(method, ...params))

  /**
   * Returns the logs from `fromBlock` to the newest block, in order. Uses one request if the node allows it, otherwise
   * ranges from the newest block backwards.
   */
  async logs(
    filter: { address?: Hex; topics: (Hex | null)[] },
    fromBlock: number,
    onProgress: OnProgress,
  ): Promise<Log[]> {
    const newest = Number(await this.quantity('eth_blockNumber'))
    const range = (from: number, to: number) =>
      this.request<Log[]>('eth_getLogs', { ...filter, fromBlock: hex(from), toBlock: hex(to) })
    try {
      return await range(fromBlock, newest)
    } catch (error) {
      if (!(error instanceof NodeProblem)) throw error
    }
    const found: Log[] = []
    let width = firstRange
    for (let to = newest; to >= fromBlock && onProgress(to); ) {
      const from = Math.max(fromBlock, to - width + 1)
      try {
        found.unshift(...(await range(from, to)))
        to = from - 1
      } catch (error) {
        if (!(error instanceof NodeProblem && error.refused) || width <= 10) throw error
        width = Math.ceil(width / 4)
      }
    }
    return found
  }

  /** Signs and sends a transaction and waits until it is mined. Throws if it reverts or would revert. */
  async send(key: { address: Hex; privateKey: Hex }, to: Hex, data: Hex): Promise<Hex> {
    const { address: from } = key
    const [chainId, nonce, head, tip, gas] = await Promise.all([
      this.quantity('eth_chainId'),
      this.quantity('eth_getTransactionCount', from, 'pending'),
      this.request<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', 'latest', false),
      this.quantity('eth_maxPriorityFeePerGas').catch(() => 1_000_000n),
      this.quantity('eth_estimateGas', { from, to, data }),
    ])
    const { raw, hash } = signTransaction(
      {
        chainId: Number(chainId) as 8453,
        nonce: Number(nonce),
        to,
        value: 0n,
        data,
        gas: (gas * 13n) / 10n,
        maxFeePerGas: BigInt(head.baseFeePerGas) * 2n + tip,
        maxPriorityFeePerGas: tip,
      },
      key.privateKey,
    )
    await this.request('eth_sendRawTransaction', raw)
    const deadline = Date.now() + minedWithinMs
    for (;;) {
      const receipt = await this.request<{ status: Hex } | null>('eth_getTransactionReceipt', hash).catch(() => null)
      if (receipt?.status === '0x1') return hash
      if (receipt) throw new NodeProblem(`The chain refused transaction ${hash}.`, true)
      if (Date.now() > deadline)
        throw new NodeProblem(`Transaction ${hash} is sent but not mined yet. Look it up before you try again.`, false)
      await new Promise((resolve) => setTimeout(resolve, receiptMs))
    }
  }
}

const hex = (value: number): Hex => `0x${value.toString(16)}`
