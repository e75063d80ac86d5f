import { sameAddress } from '#domain/sameAddress.ts'
import { topics } from './calls.ts'
import { type Chain, type Hex, type Log, type LogFilter, RpcError } from './types.ts'

/** A little more than a day of Base. Nodes that allow fewer refuse, and the range is halved. */
export const maxRange = 50_000
/** A range that returns fewer logs may be doubled. */
const fewLogs = 2_000
/** A width that a node has refused is tried again after this many ranges. */
const rangesUntilRetry = 20

export type BlockRange = { fromBlock: number; toBlock: number }
export type RangelessFilter = Omit<LogFilter, keyof BlockRange>
type Node = Pick<Chain, 'logs' | 'blockLogs'>

/**
 * How many blocks a node is asked for at once: half as many after it refused or did not respond, and twice as many again
 * while there are few logs. Kept between readings, so that a reading that failed is repeated with smaller ranges.
 */
export class Pace {
  blocks = maxRange
  /** The narrowest range that was refused lately. */
  #refused = Number.POSITIVE_INFINITY
  #accepted = 0

  accepted(width: number, logs: number): void {
    this.#accepted += 1
    if (this.#accepted % rangesUntilRetry === 0) this.#refused = Number.POSITIVE_INFINITY
    const doubled = Math.min(maxRange, width * 2)
    if (width === this.blocks && logs < fewLogs && doubled < this.#refused) this.blocks = doubled
  }

  refused(width: number): void {
    this.blocks = Math.ceil(width / 2)
    this.#refused = width
    this.#accepted = 0
  }
}

/** Logs of one block that are not kept: how many there are, the sum of their amounts, and the place of the first one. */
export type Dust = Pick<Log, 'blockNumber' | 'blockHash' | 'transactionHash' | 'logIndex'> & {
  count: number
  sum: bigint
}

/** The logs of each filter in a part of a range. */
export class Part {
  readonly toBlock: number
  readonly logs: Log[][]
  /** By block hash. */
  readonly dust = new Map<Hex, Dust>()
  /** Number of logs, including those that were not kept. */
  read = 0
  readonly #isDust: (log: Log) => boolean

  constructor(filters: readonly RangelessFilter[], toBlock: number, isDust: (log: Log) => boolean) {
    this.toBlock = toBlock
    this.logs = filters.map(() => [])
    this.#isDust = isDust
  }

  /** Leaves out transfers of nothing, because anyone can make them in anyone's name. */
  add(log: Log, filter: number): void {
    this.read += 1
    if (log.topics[0] === topics.transfer && BigInt(log.data) === 0n) return
    if (this.#isDust(log)) this.#count(log)
    else this.logs[filter]!.push(log)
  }

  #count({ blockNumber, blockHash, transactionHash, logIndex, data }: Log): void {
    const { count, sum, ...first } = this.dust.get(blockHash) ?? {
      ...{ blockNumber, blockHash, transactionHash, logIndex },
      ...{ count: 0, sum: 0n },
    }
    this.dust.set(blockHash, { ...first, count: count + 1, sum: sum + BigInt(data) })
  }
}

type Options = {
  source?: 'first' | 'second'
  pace?: Pace
  /** Logs that are only counted. Each must match one filter at most. */
  isDust?: (log: Log) => boolean
}

/**
 * Reads the logs that match each filter, one part of the range after another. Halves a part that the node refuses, and reads
 * a single block that it refuses (anyone can emit 10,001 logs in one block) through its receipts.
 */
export async function* readParts(
  chain: Node,
  filters: readonly RangelessFilter[],
  { fromBlock, toBlock }: BlockRange,
  { source = 'first', pace = new Pace(), isDust = () => false }: Options = {},
): AsyncGenerator<Part> {
  for (let start = fromBlock; start <= toBlock; ) {
    const end = Math.min(toBlock, start + pace.blocks - 1)
    const part = new Part(filters, end, isDust)
    if (!(await fill(part, chain, filters, { fromBlock: start, toBlock: end }, source, pace))) continue
    pace.accepted(end - start + 1, part.read)
    yield part
    start = end + 1
  }
}

/** All logs that match each filter in the range. For filters that a stranger's transactions can't match. */
export async function readLogs(
  chain: Node,
  filters: readonly RangelessFilter[],
  range: BlockRange,
  source: 'first' | 'second' = 'first',
): Promise<Log[][]> {
  const found: Log[][] = filters.map(() => [])
  for await (const { logs } of readParts(chain, filters, range, { source }))
    for (const [i, some] of logs.entries()) for (const log of some) found[i]!.push(log)
  return found
}

/** False if the node refuses the range and the range can be halved. */
async function fill(
  part: Part,
  chain: Node,
  filters: readonly RangelessFilter[],
  range: BlockRange,
  source: 'first' | 'second',
  pace: Pace,
): Promise<boolean> {
  const width = range.toBlock - range.fromBlock + 1
  try {
    const found = await chain.logs(
      filters.map((filter) => ({ ...filter, ...range })),
      source,
    )
    for (const [i, logs] of found.entries()) for (const log of logs) part.add(log, i)
    return true
  } catch (error) {
    pace.refused(width)
    if (!(error instanceof RpcError)) throw error
    if (width > 1) return false
    const takes = (log: Log) => {
      for (const [i, filter] of filters.entries()) if (matchesFilter(log, filter)) part.add(log, i)
    }
    await chain.blockLogs(range.toBlock, takes, source)
    return true
  }
}

/** Whether eth_getLogs would return this log for the filter. */
export function matchesFilter(log: Log, { address, topics: wanted = [] }: RangelessFilter): boolean {
  return (
    [address].flat().some((one) => sameAddress(one, log.address)) &&
    wanted.every((topic, i) => topic === null || [topic].flat().some((one) => one === log.topics[i]))
  )
}
