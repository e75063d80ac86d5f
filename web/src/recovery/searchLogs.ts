import { type BlockRange, matchesFilter, type RangelessFilter } from '#chain/readLogs.ts'
import * as results from '#chain/rpcResults.ts'
import { type Log, RpcUnavailable } from '#chain/types.ts'
import { type EthereumNode, type Read, reasonOf } from './node.ts'

/** Called with the block that a search has reached; returns false to stop the search. */
export type OnProgress = (block: number) => boolean

export type SearchResult = {
  /** The logs that match each filter, oldest first. */
  logs: Log[][]
  /** What was not searched, newest first: pass it to the next search. */
  unread: BlockRange[]
  /** Why not, as the end of a sentence. */
  reason: string
}

/** Blocks per request if a node refuses to search everything in one. Many public nodes allow 10,000, some fewer. */
const firstWidth = 10_000
/** Requests that must succeed in a row before a wider one is tried. */
const calmSteps = 8
/** Ends the search: so many blocks in a row that cannot be read even one by one. */
const maxUnreadable = 3

/**
 * Searches the ranges from the newest block backwards: in one request if the node allows it, otherwise in as many as it
 * takes. Never throws for what a node does: what it could not read is in `unread`.
 */
export async function searchLogs(
  node: EthereumNode,
  filters: RangelessFilter[],
  ranges: BlockRange[],
  onProgress: OnProgress,
): Promise<SearchResult> {
  const logs: Log[][] = filters.map(() => [])
  const skipped: BlockRange[] = []
  const waiting = [...ranges]
  let reason = ''
  let width = Number.POSITIVE_INFINITY
  let [calm, failures, unreadable] = [0, 0, 0]

  while (waiting.length > 0) {
    const { fromBlock, toBlock } = waiting[0]!
    if (!onProgress(toBlock)) {
      reason = 'you stopped the search'
      break
    }
    const step = { fromBlock: Math.max(fromBlock, toBlock - width + 1), toBlock }
    const blocks = toBlock - step.fromBlock + 1
    const found = await readStep(node, filters, step)
    if (found instanceof Error) {
      reason = reasonOf(found)
      const isBusy = found instanceof RpcUnavailable
      if (isBusy && !(await node.pause(++failures))) break
      if (isBusy || blocks > 1) {
        width = Math.min(firstWidth, Math.ceil(blocks / 2))
        calm = 0
        continue
      }
      skipped.push(step)
      unreadable += 1
    } else {
      for (const [i, some] of found.entries()) for (const log of some) logs[i]!.push(log)
      failures = unreadable = 0
      if (++calm === calmSteps) {
        width = Math.min(firstWidth, width * 2)
        calm = 0
      }
    }
    if (step.fromBlock > fromBlock) waiting[0] = { fromBlock, toBlock: step.fromBlock - 1 }
    else waiting.shift()
    if (unreadable === maxUnreadable) break
  }
  const oldestFirst = (a: Log, b: Log) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
  return { logs: logs.map((some) => some.sort(oldestFirst)), unread: joined([...skipped, ...waiting]), reason }
}

/** Joins neighboring ranges, which are newest first. */
function joined(ranges: BlockRange[]): BlockRange[] {
  const all: BlockRange[] = []
  for (const range of ranges) {
    const last = all.at(-1)
    if (last?.fromBlock === range.toBlock + 1) last.fromBlock = range.fromBlock
    else all.push({ ...range })
  }
  return all
}

/** The matching logs of a range. Those of a single block are read from its receipts if the node refuses them otherwise. */
async function readStep(
  node: EthereumNode,
  filters: RangelessFilter[],
  { fromBlock, toBlock }: BlockRange,
): Promise<Log[][] | Error> {
  const range = { fromBlock: hex(fromBlock), toBlock: hex(toBlock) }
  const reads = filters.map(
    (filter): Read<Log[]> => ({ method: 'eth_getLogs', params: [{ ...filter, ...range }], parse: results.logs }),
  )
  const replies = await node.attempt(reads)
  const error = firstError(replies)
  if (!error) return replies as Log[][]
  if (error instanceof RpcUnavailable || fromBlock < toBlock) return error
  const [all] = await node.attempt([
    { method: 'eth_getBlockReceipts', params: [hex(toBlock)], parse: results.receiptLogs },
  ])
  if (all instanceof Error) return all
  return filters.map((filter) => all!.filter((log) => matchesFilter(log, filter)))
}

/** What may succeed later comes first. */
const firstError = (replies: (Log[] | Error)[]): Error | undefined =>
  replies.find((reply) => reply instanceof RpcUnavailable) ?? replies.find((reply) => reply instanceof Error)

const hex = (value: number) => `0x${value.toString(16)}`
