import { earliest } from '../durable/alarms.ts'
import { FairShare, type Share } from './fairShare.ts'

/** Jobs of one lane and one set of contracts can share a transaction: packed sends, or any other calls. */
export type Lane = 'send' | 'call'

export type WaitingJob = Share & {
  id: string
  lane: Lane
  contractSet: number
  /** The job failed in a batch before, so it gets its own transaction. */
  isolated: boolean
  /** Jobs of its principal failed in simulation recently. */
  isFailing: boolean
  /** ms */
  dueAt: number
}

/** Jobs that are sent together. `direct`: each in its own transaction; otherwise all in one, through the Relay contract. */
export type Batch = { kind: 'direct' | 'sends' | 'calls'; jobIds: string[] }

/** `nextAt` (ms) is when waiting jobs will form a batch; null if only a new job or a receipt can change the choice. */
export type Choice = { batch: Batch | null; nextAt: number | null }

/** Numbers of transactions that are not mined yet: all of them, and those of isolated jobs. */
export type InFlight = { all: number; isolated: number }

/** From this size on, a batch costs less gas per send than a plain USDC transfer. */
export const minBatchSize = 3
/** How long fewer jobs wait for more while a transaction is in flight. */
export const batchWindowMs = 300
export const maxBatchSize = { send: 50, call: 25 } as const
/** Maximum number of transactions of one account that are not mined yet: nodes hold few per sender. */
export const maxInFlight = 8
/** One in four steps, and one in four transactions in flight, is for retries while other jobs wait. */
const retryShare = 4
export const maxIsolatedWhileOthersWait = maxInFlight / retryShare
/** Isolated jobs always leave this many transactions to batches that arrive before the next block. */
const keptForBatches = 2

/**
 * Decides which waiting jobs are sent next. A job is sent immediately while nothing is in flight; otherwise when it is one
 * of three, or has waited 300 ms. Lanes alternate, as do those of several contract sets. Retries, which are isolated jobs
 * and those of failing principals, go last: they get one step in four while other jobs wait. Remembers whose turn it is.
 */
export class BatchChooser {
  readonly #shares = new Map<string, FairShare>()
  readonly #retryShares = new Map<string, FairShare>()
  readonly #isolatedShare = new FairShare()
  /** The step at which each lane of a set was last chosen. */
  readonly #lastChosen = new Map<string, number>()
  #steps = 0
  #stepsSinceRetry = 0

  /** `waiting` is sorted by due time, and all its jobs are due. */
  choose(waiting: readonly WaitingJob[], inFlight: InFlight, now: number): Choice {
    if (inFlight.all >= maxInFlight) return { batch: null, nextAt: null }
    const [retries, first] = partition(waiting, (job) => job.isolated || job.isFailing)

    const times = this.#inTurn(Map.groupBy(first, laneOf)).map(([lane, jobs]) => ({
      lane,
      jobs,
      at: laneReadyAt(jobs, inFlight.all, now),
    }))
    const ready = times.find(({ at }) => at <= now)

    if (!ready || this.#stepsSinceRetry >= retryShare - 1) {
      const batch = this.#retry(retries, inFlight, first.length > 0)
      if (batch) {
        this.#stepsSinceRetry = 0
        return { batch, nextAt: null }
      }
    }
    if (!ready) return { batch: null, nextAt: earliest(...times.map(({ at }) => at)) }
    this.#stepsSinceRetry += 1
    this.#lastChosen.set(ready.lane, ++this.#steps)
    return { batch: batchOf(ready.jobs, shareOf(this.#shares, ready.lane)), nextAt: null }
  }

  /** Lanes in the order of their turns: the one chosen longest ago first; among new lanes, sends first. */
  #inTurn(lanes: ReadonlyMap<string, WaitingJob[]>): [string, WaitingJob[]][] {
    const last = (lane: string) => this.#lastChosen.get(lane) ?? 0
    const isCall = ([first]: WaitingJob[]) => (first!.lane === 'call' ? 1 : 0)
    return [...lanes].sort(([a, ofA], [b, ofB]) => last(a) - last(b) || isCall(ofA) - isCall(ofB))
  }

  /** A batch of the retries that have been due longest; null if there are none, or no free transaction for them. */
  #retry(retries: readonly WaitingJob[], inFlight: InFlight, othersWait: boolean): Batch | null {
    const limit = othersWait ? maxIsolatedWhileOthersWait : maxInFlight - keptForBatches
    const places = Math.min(limit - inFlight.isolated, maxInFlight - inFlight.all)
    const oldest = retries.find((job) => !job.isolated || places > 0)
    if (!oldest) return null
    if (!oldest.isolated)
      return batchOf(
        retries.filter((job) => !job.isolated && laneOf(job) === laneOf(oldest)),
        shareOf(this.#retryShares, laneOf(oldest)),
      )
    const isolated = retries.filter((job) => job.isolated)
    return direct(this.#isolatedShare.pick(isolated, places))
  }
}

const laneOf = ({ lane, contractSet }: WaitingJob) => `${lane} ${contractSet}`

function shareOf(shares: Map<string, FairShare>, lane: string): FairShare {
  const share = shares.get(lane) ?? new FairShare()
  shares.set(lane, share)
  return share
}

/** When the jobs of one lane form a batch (ms). */
function laneReadyAt(jobs: readonly WaitingJob[], inFlight: number, now: number): number {
  return inFlight === 0 || jobs.length >= minBatchSize ? now : jobs[0]!.dueAt + batchWindowMs
}

/** A batch from jobs of one lane. */
function batchOf(jobs: readonly WaitingJob[], share: FairShare): Batch {
  const { lane } = jobs[0]!
  const picked = share.pick(jobs, maxBatchSize[lane])
  if (picked.length === 1) return direct(picked)
  return { kind: lane === 'call' ? 'calls' : 'sends', jobIds: picked.map((job) => job.id) }
}

function direct(jobs: readonly WaitingJob[]): Batch {
  return { kind: 'direct', jobIds: jobs.map((job) => job.id) }
}

function partition<T>(list: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [list.filter(isFirst), list.filter((one) => !isFirst(one))]
}
