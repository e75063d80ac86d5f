import { maxBatch, RpcClient } from '#chain/rpcClient.ts'
import * as results from '#chain/rpcResults.ts'
import { signTransaction } from '#chain/transaction.ts'
import { type Address, type Hex, RpcError, RpcUnavailable } from '#chain/types.ts'

/** A request that changes nothing, and how its result is understood. */
export type Read<T> = { method: string; params: unknown[]; parse: (result: unknown) => T }

export const callOf = (to: Address, data: Hex): Read<Hex> => ({
  method: 'eth_call',
  params: [{ to, data }, 'latest'],
  parse: (result) => results.hex(result, 'call'),
})
export const codeAt = (address: Address): Read<Hex> => ({
  method: 'eth_getCode',
  params: [address, 'latest'],
  parse: (result) => results.hex(result, 'code'),
})
/** A number that the node returns in hexadecimal, such as a balance in wei. */
export const quantity = (method: string, ...params: unknown[]): Read<bigint> => ({
  method,
  params,
  parse: (result) => results.quantity(result, method),
})

const timeoutMs = 20_000 // 20 seconds
const receiptMs = 1_000 // 1 second
const minedWithinMs = 180_000 // 3 minutes
/** Pauses after failures in a row, 15.5 seconds together: most public nodes count requests per second or per ten seconds. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000]

type Options = {
  sleep?: (ms: number) => Promise<void>
  /** Called before a pause of `ms`. */
  onBusy?: (ms: number) => void
}

/** An Ethereum node over HTTP, with the patience that a public one needs. */
export class EthereumNode {
  readonly #client: RpcClient
  readonly #sleep: (ms: number) => Promise<void>
  readonly #onBusy: (ms: number) => void
  /** Requests per HTTP request. Halved whenever a batch fails, since some nodes refuse all but short ones. */
  #batch = maxBatch

  constructor(url: string, { sleep = sleepMs, onBusy = () => {} }: Options = {}) {
    this.#client = new RpcClient(url, timeoutMs)
    this.#sleep = sleep
    this.#onBusy = onBusy
  }

  /** Pauses after `failures` in a row. Returns false, at once, if there were too many. */
  async pause(failures: number): Promise<boolean> {
    const ms = pausesMs[failures - 1]
    if (ms === undefined) return false
    this.#onBusy(ms)
    await this.#sleep(ms)
    return true
  }

  /**
   * Asks once. Returns a result or an error for each read, in order: RpcError if the node refuses it, RpcUnavailable if it
   * may answer later. After a batch that failed altogether, the rest is not asked.
   */
  async attempt<T>(reads: Read<T>[]): Promise<(T | Error)[]> {
    const replies: (T | Error)[] = []
    while (replies.length < reads.length) {
      const batch = reads.slice(replies.length, replies.length + this.#batch)
      const some = await Promise.all(batch.map((read) => this.#ask(read)))
      for (const reply of some) replies.push(reply)
      if (some.every((reply) => reply instanceof RpcUnavailable)) {
        this.#batch = Math.ceil(batch.length / 2)
        while (replies.length < reads.length) replies.push(some[0]!)
      }
    }
    return replies
  }

  async #ask<T>({ method, params, parse }: Read<T>): Promise<T | Error> {
    try {
      return parse(await this.#client.request(method, params))
    } catch (error) {
      return error as Error
    }
  }

  /** As `attempt`, but asks again for what is unavailable until nothing more arrives despite the pauses. */
  async readAll<T>(reads: Read<T>[]): Promise<(T | Error)[]> {
    const replies = await this.attempt(reads)
    for (let failures = 1; ; failures++) {
      const missing = replies.flatMap((reply, i) => (reply instanceof RpcUnavailable ? [i] : []))
      if (missing.length === 0 || !(await this.pause(failures))) return replies
      // Another one first each time, so that one without an answer does not keep the rest from being asked.
      const turned = [...missing.slice(failures), ...missing.slice(0, failures)]
      const again = await this.attempt(turned.map((i) => reads[i]!))
      for (const [k, i] of turned.entries()) replies[i] = again[k]!
      if (!again.every((reply) => reply instanceof RpcUnavailable)) failures = 0
    }
  }

  /** Throws RpcError or RpcUnavailable. */
  async read<T>(read: Read<T>): Promise<T> {
    return orThrow((await this.readAll([read]))[0]!)
  }

  /** Signs and sends a transaction and waits until it is mined. Throws if it reverts or would revert. */
  async send(key: { address: Address; privateKey: Hex }, to: Address, data: Hex): Promise<Hex> {
    const { address: from } = key
    const [chainId, nonce, baseFee, gas, tip] = await this.readAll([
      quantity('eth_chainId'),
      quantity('eth_getTransactionCount', from, 'pending'),
      {
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
        parse: (block: unknown) => results.block(block).baseFeePerGas,
      },
      quantity('eth_estimateGas', { from, to, data }),
      quantity('eth_maxPriorityFeePerGas'),
    ])
    const maxPriorityFeePerGas = tip instanceof Error ? 1_000_000n : tip!
    const { raw, hash } = signTransaction(
      {
        chainId: Number(orThrow(chainId!)) as 8453,
        nonce: Number(orThrow(nonce!)),
        to,
        value: 0n,
        data,
        gas: (orThrow(gas!) * 13n) / 10n,
        maxFeePerGas: orThrow(baseFee!) * 2n + maxPriorityFeePerGas,
        maxPriorityFeePerGas,
      },
      key.privateKey,
    )
    await this.#client.request('eth_sendRawTransaction', [raw])
    const receiptOf = { method: 'eth_getTransactionReceipt', params: [hash], parse: results.receipt }
    const deadline = Date.now() + minedWithinMs
    for (;;) {
      const [receipt] = await this.attempt([receiptOf])
      if (receipt && !(receipt instanceof Error)) {
        if (receipt.status === 'success') return hash
        throw new Error(`The chain refused transaction ${hash}.`)
      }
      if (Date.now() > deadline)
        throw new Error(`Transaction ${hash} is sent but not mined yet. Look it up before you try again.`)
      await this.#sleep(receiptMs)
    }
  }
}

/** Why a node did not answer, as the end of a sentence. */
export function reasonOf(error: Error): string {
  if (error instanceof RpcError) return `the node refused it (${error.message})`
  return error instanceof RpcUnavailable ? `the node does not answer (${error.message})` : error.message
}

function orThrow<T>(reply: T | Error): T {
  if (reply instanceof Error) throw reply
  return reply
}

const sleepMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
