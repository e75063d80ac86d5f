import type { Address, Chain } from '../chain/types.ts'
import { RpcError } from '../chain/types.ts'
import { logError } from '../observability/log.ts'
import { encodeBatch, failedPositions } from './batchEncoding.ts'
import type { Batch } from './chooseBatch.ts'
import type { JobFailure } from './failureQuota.ts'
import type { QueuedJob } from './jobQueue.ts'

export type Simulation = {
  /** Why jobs fail, by id. */
  failing: Map<string, JobFailure>
  /** The batch itself reverts, which says nothing about its jobs. */
  batchReverts: boolean
}

/** Executes the transaction that would be sent, as an eth_call on the newest block. Throws RpcUnavailable. */
export async function simulateBatch(
  chain: Chain,
  from: Address,
  kind: Batch['kind'],
  jobs: readonly QueuedJob[],
): Promise<Simulation> {
  if (kind === 'direct') return { failing: await simulateEach(chain, from, jobs), batchReverts: false }
  const { to, data, gas } = encodeBatch(kind, jobs, chain)
  try {
    const bitmap = await chain.call({ to, data, from, gas })
    const failed = failedPositions(bitmap, jobs.length).map((position) => jobs[position]!)
    const alone = await simulateEach(chain, from, failed)
    const onlyInBatch = { reason: 'fails in a batch', reverts: false, onlyInBatch: true }
    return { failing: new Map(failed.map(({ id }) => [id, alone.get(id) ?? onlyInBatch])), batchReverts: false }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    logError('batch_reverts', { chain: chain.chainId, kind, jobs: jobs.length, reason: error.message })
    return { failing: new Map(), batchReverts: true }
  }
}

/** Simulates each job in its own transaction. Returns the failures by id. */
async function simulateEach(chain: Chain, from: Address, jobs: readonly QueuedJob[]): Promise<Map<string, JobFailure>> {
  const failures = await Promise.all(jobs.map((job) => simulateOne(chain, from, job)))
  return new Map(jobs.flatMap(({ id }, i) => (failures[i] ? [[id, failures[i]] as const] : [])))
}

/** Simulates the job in its own transaction. Returns why it fails; null if it succeeds. */
async function simulateOne(chain: Chain, from: Address, job: QueuedJob): Promise<JobFailure | null> {
  const { to, data, gas } = encodeBatch('direct', [job], chain)
  try {
    const [code] = await Promise.all([chain.code(to), chain.call({ to, data, from, gas })])
    // A call to an address without code succeeds and does nothing.
    return code === '0x' ? { reason: 'no code at the target', reverts: false } : null
  } catch (error) {
    if (error instanceof RpcError) return { reason: error.message, reverts: hasRevertData(error) }
    throw error
  }
}

/** True if the data has at least the selector of an error; running out of gas returns no data. */
const hasRevertData = ({ data }: RpcError): boolean => data !== undefined && data.length >= 10
