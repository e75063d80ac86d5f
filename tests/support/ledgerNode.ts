/**
 * A node over HTTP that knows one token and one wallet, for readings of the chain. A block is made every two seconds of the
 * clock that it is given. Transfers are written into it; it has no transactions, so it is not for payments.
 */
import { text } from 'node:stream/consumers'
import { encodeFunctionResult, keccak256, numberToHex, pad, toHex } from 'viem/utils'
import { serve } from '../../local/standIns/server.ts'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import { addressTopic, topics } from '../../worker/chain/calls.ts'
import { walletStateCall } from '../../worker/chain/rpcChain.ts'
import type { Address, Hex, WalletState } from '../../worker/chain/types.ts'
import { digestOf, digestsCall } from '../../worker/chain/watchReader.ts'

const blockSeconds = 2

const remembered = <K, V>(make: (key: K) => V) => {
  const known = new Map<K, V>()
  return (key: K): V => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}
const topicOf = remembered(addressTopic)

export type LedgerTransfer = { block: number; from: Address; to: Address; value: bigint }

/** What the node refuses or does late. `logs` and `blocks`: of one eth_getLogs; more are refused with `message`. `wallets`: of one call that reads digests. */
export type NodeLimits = {
  logs?: number
  blocks?: number
  message?: string
  code?: number
  silentAbove?: number
  wallets?: number
}

type Filter = { address: string | string[]; topics?: (Hex | Hex[] | null)[]; fromBlock: Hex; toBlock: Hex }
type Request = { id: number; method: string; params: unknown[] }

export type LedgerNode = Awaited<ReturnType<typeof startLedgerNode>>

export async function startLedgerNode({
  usdc,
  now,
  opening,
  state = () => null,
  behind = () => 0,
  finalBlocks = 600,
}: {
  usdc: Address
  /** ms */
  now: () => number
  /** Balances before the first block. */
  opening: Record<Address, bigint>
  /** How many blocks the node of the next round trip is behind; those are refused. */
  behind?: () => number
  /** Of a wallet; null if it has no contract. The balance is that of the ledger. */
  state?: (wallet: Address) => Omit<WalletState, 'balance' | 'blockNumber' | 'timestamp'> | null
  finalBlocks?: number
}) {
  const startedAt = now()
  const firstBlock = 1_000
  let transfers: LedgerTransfer[] = []
  /** Transfers that eth_getLogs leaves out. */
  const hidden = new Set<LedgerTransfer>()
  const limits: NodeLimits = {}
  /** Changes the hash of this block and of all after it. */
  let branch: { from: number; name: string } | null = null
  const calls: Record<string, number> = {}
  let largestReply = 0

  let lag = 0
  const head = () => firstBlock + Math.floor((now() - startedAt) / 1000 / blockSeconds)
  const hashOf = remembered((name: string): Hex => keccak256(toHex(name)))
  const hashAt = (block: number) =>
    hashOf(branch && block >= branch.from ? `${branch.name} ${block}` : `block ${block}`)
  const blockAt = (number: number) => ({
    number: numberToHex(number),
    timestamp: numberToHex(Math.floor(startedAt / 1000) + (number - firstBlock) * blockSeconds),
    hash: hashAt(number),
    parentHash: hashAt(number - 1),
    baseFeePerGas: '0x1',
  })
  const numberOf = (tag: unknown) =>
    tag === 'latest' ? head() - lag : tag === 'finalized' ? Math.max(0, head() - finalBlocks) : Number(tag)

  const balanceOf = (address: string, upTo: number) => {
    let sum = opening[address.toLowerCase() as Address] ?? 0n
    for (const { block, from, to, value } of transfers) {
      if (block > upTo) break
      if (to === address) sum += value
      if (from === address) sum -= value
    }
    return sum
  }

  function logs({ address, topics: wanted = [], ...range }: Filter, limits: NodeLimits): string[] {
    const [fromBlock, toBlock] = [Number(range.fromBlock), Number(range.toBlock)]
    if (toBlock - fromBlock >= (limits.blocks ?? Number.POSITIVE_INFINITY)) throw refusal()
    if (![address].flat().some((one) => one.toLowerCase() === usdc)) return []
    const allows = (topic: Hex, i: number) => wanted[i] == null || [wanted[i]].flat().includes(topic)
    if (!allows(topics.transfer, 0)) return []
    const found: string[] = []
    let [block, index] = [-1, 0]
    for (const transfer of transfers) {
      index = transfer.block === block ? index + 1 : 0
      block = transfer.block
      if (block < fromBlock) continue
      if (block > toBlock) break
      const [from, to] = [topicOf(transfer.from), topicOf(transfer.to)]
      if (!allows(from, 1) || !allows(to, 2) || hidden.has(transfer)) continue
      if (found.length === (limits.logs ?? Number.POSITIVE_INFINITY)) throw refusal()
      const at = `"blockNumber":"0x${block.toString(16)}","blockHash":"${hashAt(block)}","logIndex":"0x${index.toString(16)}"`
      const data = `0x${transfer.value.toString(16).padStart(64, '0')}`
      found.push(
        `{"address":"${usdc}","topics":["${topics.transfer}","${from}","${to}"],"data":"${data}",${at},"transactionHash":"${hashAt(block)}","transactionIndex":"0x0","removed":false}`,
      )
    }
    return found
  }
  const refusal = () => ({
    code: limits.code ?? -32602,
    message: limits.message ?? 'query returned more than 10000 results',
  })

  const wordsAt = digestsCall(usdc, []).length
  /** By what was asked and how many transfers it shows: a state changes only together with a transfer. */
  const digestReplies = new Map<string, Hex>()
  function digests(data: Hex, block: number): Hex {
    const shown = transfers.findLastIndex((transfer) => transfer.block <= block) + 1
    const name = `${data} ${shown} ${transfers.length} ${branch?.name}`
    const words = data.slice(wordsAt).match(/.{64}/g) ?? []
    if (words.length > (limits.wallets ?? Number.POSITIVE_INFINITY)) throw { code: -32000, message: 'out of gas' }
    const all = digestReplies.get(name) ?? joined(words.map((word) => digestAt(word, block)))
    digestReplies.set(name, all)
    return `${pad(numberToHex(block))}${all.slice(2)}`
  }
  function digestAt(word: string, block: number): Hex {
    const address: Address = `0x${word.slice(24)}`
    const balance = balanceOf(address, block)
    const known = word[23] === '1' ? null : state(address)
    return digestOf(known && { ...known, balance, blockNumber: block, timestamp: 0 }, balance)
  }
  const joined = (list: Hex[]): Hex => list.reduce<Hex>((text, one) => `${text}${one.slice(2)}`, '0x')

  /** The result as JSON. */
  function answer({ method, params }: Request): string {
    calls[method] = (calls[method] ?? 0) + 1
    switch (method) {
      case 'eth_getBlockByNumber': {
        const number = numberOf(params[0])
        return JSON.stringify(number > head() - lag ? null : blockAt(number))
      }
      case 'eth_getLogs':
        return `[${logs(params[0] as Filter, limits).join(',')}]`
      case 'eth_getBlockReceipts': {
        const [block] = params as [Hex]
        const all = { address: usdc, fromBlock: block, toBlock: block }
        return `[{"status":"0x1","logs":[]},{"logs":[${logs(all, {}).join(',')}],"type":"0x2"}]`
      }
      case 'eth_getCode':
        return '"0x"'
      case 'eth_call': {
        const [{ to, data }, tag] = params as [{ to?: Address; data: Hex }, unknown]
        const block = numberOf(tag)
        if (block > head() - lag) throw { code: -32000, message: 'header not found' }
        if (to === undefined) return JSON.stringify(digests(data, block))
        if (data === walletStateCall) {
          const now = state(to)
          if (!now) return '"0x"'
          const { number, timestamp } = blockAt(block)
          const whole = {
            ...now,
            ...{ blockNumber: BigInt(number), timestamp: BigInt(timestamp), balance: balanceOf(to, block) },
            ...{ grantDay: 0, grantedToday: 0n },
          }
          return JSON.stringify(
            encodeFunctionResult({ abi: agentWalletAbi, functionName: 'state', result: whole as never }),
          )
        }
        return JSON.stringify(pad(numberToHex(balanceOf(`0x${data.slice(-40)}`, block))))
      }
    }
    throw { code: -32601, message: `${method} is not supported` }
  }

  const reply = (request: Request): string => {
    const start = `{"jsonrpc":"2.0","id":${request.id},`
    try {
      return `${start}"result":${answer(request)}}`
    } catch (error) {
      return `${start}"error":${JSON.stringify(error instanceof Error ? { code: -32603, message: error.message } : error)}}`
    }
  }

  const { url, stop } = await serve(async (request, response) => {
    const body = JSON.parse(await text(request)) as Request | Request[]
    lag = behind()
    const replies = [body].flat().map(reply)
    const whole = Array.isArray(body) ? `[${replies.join(',')}]` : replies[0]!
    if (whole.length > (limits.silentAbove ?? Number.POSITIVE_INFINITY)) return void request.socket.destroy()
    largestReply = Math.max(largestReply, whole.length)
    response.setHeader('content-type', 'application/json')
    response.end(whole)
  })

  return {
    url,
    head,
    limits,
    hidden,
    /** Number of calls by method. */
    calls,
    /** In bytes. */
    largestReply: () => largestReply,
    transfers: () => transfers,
    /** Adds transfers of later blocks than those before. */
    add: (more: LedgerTransfer[]) => {
      transfers = [...transfers, ...more]
    },
    reorganize: (from: number, name: string, keep: (transfer: LedgerTransfer) => boolean) => {
      branch = { from, name }
      transfers = transfers.filter((transfer) => transfer.block < from || keep(transfer))
    },
    hashAt,
    balanceOf: (address: Address) => balanceOf(address, head()),
    stop,
  }
}
