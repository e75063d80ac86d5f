/**
 * An in-memory node whose time passes only with requests, so that a test measures the same number of blocks on every
 * machine: each round trip takes 40 ms, and there is a block every 2 seconds. Supports the requests of a Relayer.
 */
import { decodeFunctionData, encodeErrorResult, keccak256, parseTransaction, toHex } from 'viem/utils'
import { agentWalletAbi, relayAbi } from '../../worker/chain/abi.ts'
import { newestContracts } from '../../worker/chain/contractSets.ts'
import { type Address, type Block, type Chain, type ChainId, type Hex, RpcError } from '../../worker/chain/types.ts'

const roundTripMs = 40
export const blockMs = 2_000
/** A block is finalized after 30 minutes. */
const finalBlocks = 900
const gwei = 1_000_000_000n
const reason = 'Blacklistable: account is blacklisted'

type Send = { to: string; wallet: string; nonce: bigint }
type Receipt = NonNullable<Awaited<ReturnType<Chain['receipt']>>>

export class ModelNode
  implements Pick<Chain, 'head' | 'finalized' | 'fees' | 'accountNonce' | 'receipt' | 'call' | 'code' | 'sendRaw'>
{
  readonly chainId: ChainId
  readonly contractSets: Chain['contractSets']
  /** Sends to these addresses (lower case) fail, as do sends whose nonce is used. */
  readonly blacklist = new Set<string>()
  /** The block in which each send was mined, by `${wallet}:${nonce}`, wallet in lower case. */
  readonly minedIn = new Map<string, number>()
  /** Called after each block. */
  onBlock: (block: number) => void = () => {}
  gasPerSend = 50_000n
  /** Number of round trips so far. */
  roundTrips = 0
  readonly #pool = new Map<number, { hash: Hex; sends: Send[] }>()
  readonly #receipts = new Map<Hex, Receipt>()
  #accountNonce = 0
  /** The account's nonce at each block. */
  readonly #accountNonces: number[] = [0, 0]
  #now: number
  #block = 1
  #nextBlockAt: number
  #trip: Promise<void> | null = null

  constructor({ chainId, contractSets }: Pick<Chain, 'chainId' | 'contractSets'>, startAt: number) {
    this.chainId = chainId
    this.contractSets = contractSets
    this.#now = startAt
    this.#nextBlockAt = startAt + blockMs
  }

  /** ms */
  now = (): number => this.#now
  block = (): number => this.#block
  nextBlockAt = (): number => this.#nextBlockAt

  /** Moves time to `at` (ms) and mines the blocks that are due until then. */
  passTo(at: number): void {
    while (this.#nextBlockAt <= at) {
      this.#now = this.#nextBlockAt
      this.#nextBlockAt += blockMs
      this.#mine()
      this.onBlock(this.#block)
    }
    this.#now = Math.max(this.#now, at)
  }

  /** Makes a round trip. Requests made at the same time share it. */
  #request(): Promise<void> {
    this.#trip ??= Promise.resolve().then(() => {
      this.#trip = null
      this.roundTrips += 1
      this.passTo(this.#now + roundTripMs)
    })
    return this.#trip
  }

  #mine(): void {
    this.#block += 1
    for (let next = this.#pool.get(this.#accountNonce); next; next = this.#pool.get(this.#accountNonce)) {
      this.#pool.delete(this.#accountNonce++)
      for (const { wallet, nonce } of next.sends) this.minedIn.set(`${wallet}:${nonce}`, this.#block)
      const gasUsed = this.gasPerSend * BigInt(Math.max(1, next.sends.length))
      this.#receipts.set(next.hash, { status: 'success', blockNumber: this.#block, gasUsed, logs: [] })
    }
    this.#accountNonces[this.#block] = this.#accountNonce
  }

  #sendsIn(to: Address, data: Hex): Send[] {
    if (data === '0x') return []
    if (to.toLowerCase() === newestContracts(this).relay.toLowerCase()) {
      const { args } = decodeFunctionData({ abi: relayAbi, data })
      const packed = (args![1] as Hex).slice(2)
      return Array.from({ length: packed.length / 252 }, (_, i) => {
        const field = (start: number, bytes: number) => packed.slice(i * 252 + start * 2, i * 252 + (start + bytes) * 2)
        return { wallet: `0x${field(0, 20)}`, to: `0x${field(20, 20)}`, nonce: BigInt(`0x${field(48, 8)}`) }
      })
    }
    const { args } = decodeFunctionData({ abi: agentWalletAbi, data })
    return [{ wallet: to.toLowerCase(), to: (args![0] as string).toLowerCase(), nonce: args![2] as bigint }]
  }

  #fails = ({ to, wallet, nonce }: Send) => this.blacklist.has(to) || this.minedIn.has(`${wallet}:${nonce}`)

  async head(): Promise<Block> {
    await this.#request()
    return { number: this.#block, timestamp: Math.floor(this.#now / 1000), hash: toHex(this.#block, { size: 32 }) }
  }

  async finalized(): Promise<Block> {
    await this.#request()
    const number = this.#finalizedBlock()
    const timestamp = Math.floor((this.#nextBlockAt - (this.#block + 1 - number) * blockMs) / 1000)
    return { number, timestamp, hash: toHex(number, { size: 32 }) }
  }

  #finalizedBlock = () => Math.max(1, this.#block - finalBlocks)

  async fees() {
    return { head: await this.head(), baseFeePerGas: gwei / 100n, maxPriorityFeePerGas: gwei / 1000n }
  }

  async accountNonce(_: Address, tag: 'latest' | 'pending' | 'finalized'): Promise<number> {
    await this.#request()
    return tag === 'finalized' ? this.#accountNonces[this.#finalizedBlock()]! : this.#accountNonce
  }

  async receipt(hash: Hex): Promise<Receipt | null> {
    await this.#request()
    return this.#receipts.get(hash) ?? null
  }

  async code(): Promise<Hex> {
    await this.#request()
    return '0x01'
  }

  async call({ to, data }: { to: Address; data: Hex }): Promise<Hex> {
    await this.#request()
    const sends = this.#sendsIn(to, data)
    if (to.toLowerCase() === newestContracts(this).relay.toLowerCase()) {
      return toHex(sends.reduce((bits, send, i) => (this.#fails(send) ? bits | (1n << BigInt(i)) : bits), 0n))
    }
    if (!sends.some(this.#fails)) return '0x'
    const abi = [{ type: 'error', name: 'Error', inputs: [{ name: 'text', type: 'string' }] }] as const
    throw new RpcError(3, reason, encodeErrorResult({ abi, args: [reason] }))
  }

  async sendRaw(raw: Hex): Promise<Hex> {
    await this.#request()
    const { nonce = 0, to, data = '0x' } = parseTransaction(raw)
    const hash = keccak256(raw)
    this.#pool.set(nonce, { hash, sends: this.#sendsIn(to!, data) })
    return hash
  }
}
