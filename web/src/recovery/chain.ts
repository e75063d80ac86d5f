import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils'
import { keccak, packWords } from '../../../worker/chain/digests.ts'
import { signTransaction } from '../../../worker/chain/transaction.ts'

export type Hex = `0x${string}`
export type Log = { address: Hex; topics: Hex[]; data: Hex; blockNumber: Hex }
type Word = bigint | number | Hex

/** Calldata of a function whose arguments are all static. */
export const calldata = (signature: string, ...words: Word[]): Hex =>
  `0x${keccak(utf8ToBytes(signature)).slice(2, 10)}${bytesToHex(packWords(...words))}`
export const topic = (event: string): Hex => keccak(utf8ToBytes(event))
export const addressTopic = (address: Hex): Hex => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
/** The n-th 32-byte word of an answer. */
export const wordAt = (data: Hex, index: number): bigint =>
  BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64) || '0'}`)
export const addressAt = (data: Hex, index: number): Hex => `0x${data.slice(26 + index * 64, 66 + index * 64)}`

/** What the node said no to, or that it did not answer. */
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
/** Where a node refuses the whole chain at once. Many public nodes allow 10,000 blocks, some fewer. */
const firstRange = 10_000

/** Any Ethereum node over HTTP. */
export class Node {
  readonly #url: string
  constructor(url: string) {
    this.#url = url
  }

  async ask<T>(method: string, ...params: unknown[]): Promise<T> {
    let answer: { result?: T; error?: { message?: string } }
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
        referrerPolicy: 'no-referrer',
        credentials: 'omit',
      })
      answer = await response.json()
    } catch {
      throw new NodeProblem('The RPC URL does not answer. Check it, or try another one.', false)
    }
    if (answer.error) throw new NodeProblem(`The node refuses: ${answer.error.message ?? method}`, true)
    return answer.result as T
  }

  call = (to: Hex, data: Hex) => this.ask<Hex>('eth_call', { to, data }, 'latest')
  quantity = async (method: string, ...params: unknown[]) => BigInt(await this.ask<Hex>(method, ...params))

  /**
   * Logs from the newest block back to `fromBlock`. All at once where the node allows it, else piece by piece;
   * `onProgress` hears how far down it is and stops the search by answering false.
   */
  async logs(
    filter: { address?: Hex; topics: (Hex | null)[] },
    fromBlock: number,
    onProgress: (block: number) => boolean,
  ): Promise<Log[]> {
    const newest = Number(await this.quantity('eth_blockNumber'))
    const range = (from: number, to: number) =>
      this.ask<Log[]>('eth_getLogs', { ...filter, fromBlock: hex(from), toBlock: hex(to) })
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

  /** Signs, sends and waits until it is mined. Throws when the chain would refuse it, or did. */
  async send(key: { address: Hex; privateKey: Hex }, to: Hex, data: Hex): Promise<Hex> {
    const { address: from } = key
    const [chainId, nonce, head, tip, gas] = await Promise.all([
      this.quantity('eth_chainId'),
      this.quantity('eth_getTransactionCount', from, 'pending'),
      this.ask<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', 'latest', false),
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
    await this.ask('eth_sendRawTransaction', raw)
    const deadline = Date.now() + minedWithinMs
    for (;;) {
      const receipt = await this.ask<{ status: Hex } | null>('eth_getTransactionReceipt', hash).catch(() => null)
      if (receipt?.status === '0x1') return hash
      if (receipt) throw new NodeProblem(`The chain refused transaction ${hash}.`, true)
      if (Date.now() > deadline)
        throw new NodeProblem(`Transaction ${hash} is sent but not mined yet. Look it up before you try again.`, false)
      await new Promise((resolve) => setTimeout(resolve, receiptMs))
    }
  }
}

const hex = (value: number): Hex => `0x${value.toString(16)}`
