import { sameAddress } from '#domain/sameAddress.ts'
import { type Chain, type Log, type LogFilter, RpcError } from './types.ts'

/** Public nodes refuse wider ranges. */
export const maxRange = 5_000

export type BlockRange = { fromBlock: number; toBlock: number }
export type RangelessFilter = Omit<LogFilter, keyof BlockRange>

/**
 * Returns all logs that match each filter in the range. Halves a range that the node refuses, and reads a single block that
 * it refuses (anyone can emit 10,001 logs in one block) through its receipts.
 */
export async function readLogs(
  chain: Pick<Chain, 'logs' | 'blockLogs'>,
  filters: readonly RangelessFilter[],
  { fromBlock, toBlock }: BlockRange,
  source: 'first' | 'second' = 'first',
): Promise<Log[][]> {
  const found: Log[][] = filters.map(() => [])
  let width = maxRange
  for (let start = fromBlock; start <= toBlock; ) {
    const end = Math.min(toBlock, start + width - 1)
    const logs = await logsOf(chain, filters, { fromBlock: start, toBlock: end }, source)
    if (logs === null) {
      width = Math.ceil((end - start + 1) / 2)
      continue
    }
    for (const [i, some] of logs.entries()) found[i]!.push(...some)
    start = end + 1
  }
  return found
}

/** Null if the node refuses the range and the range can be halved. */
async function logsOf(
  chain: Pick<Chain, 'logs' | 'blockLogs'>,
  filters: readonly RangelessFilter[],
  range: BlockRange,
  source: 'first' | 'second',
): Promise<Log[][] | null> {
  try {
    return await chain.logs(
      filters.map((filter) => ({ ...filter, ...range })),
      source,
    )
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (range.toBlock > range.fromBlock) return null
    const logs = await chain.blockLogs(range.toBlock, source)
    return filters.map((filter) => logs.filter((log) => matchesFilter(log, filter)))
  }
}

/** Whether eth_getLogs would return this log for the filter. */
export function matchesFilter(log: Log, { address, topics = [] }: RangelessFilter): boolean {
  return (
    [address].flat().some((one) => sameAddress(one, log.address)) &&
    topics.every((wanted, i) => wanted === null || [wanted].flat().some((topic) => topic === log.topics[i]))
  )
}
