import { stepGas } from '#domain/gasAllowance.ts'

/** The properties of a job that decide whose turn it is. */
export type Share = {
  userId: string
  /** Who caused the job within the account: the owner, one agent, or one payout. */
  principal: string
  isNewAccount: boolean
  /** Gas units that the job is expected to cost. */
  gas: number
}

/** Gas units of one turn: enough for the most expensive job. */
export const quantum = Math.max(...Object.values(stepGas))
const newAccounts = 'new accounts'

/**
 * Deficit round-robin by gas over established users; all new accounts together have the turn of one user, so opening
 * more of them gains nothing. Within a turn users alternate, and within a user the owner, agents and payouts do. This
 * alone decides whose jobs go first. Kept in memory: after a restart, turns start with the oldest job.
 */
export class FairShare {
  /** Gas left from earlier turns, in the order of the next turns. */
  readonly #deficits = new Map<string, number>()
  /** The running number under which a user or principal was last picked. */
  readonly #lastPicked = new Map<string, number>()
  #picks = 0

  /** Returns up to `size` of the jobs, which are sorted by due time. Picked jobs count as served. */
  pick<Job extends Share>(jobs: readonly Job[], size: number): Job[] {
    const flows = Map.groupBy(jobs, (job) => (job.isNewAccount ? newAccounts : job.userId))
    this.#forgetIdle(flows, jobs)
    const queues = new Map([...flows].map(([key, ofFlow]) => [key, new TurnQueue(ofFlow, this.#lastPicked)]))
    const picked: Job[] = []
    while (picked.length < size && this.#deficits.size > 0) {
      const [key, deficit] = this.#deficits.entries().next().value!
      const queue = queues.get(key)!
      let left = deficit + quantum
      let next = queue.next()
      for (; next && next.gas <= left && picked.length < size; next = queue.next()) {
        queue.take(next, ++this.#picks)
        left -= next.gas
        picked.push(next)
      }
      this.#deficits.delete(key)
      if (next) this.#deficits.set(key, left)
    }
    return picked
  }

  /** A flow without waiting jobs keeps neither its turn nor its deficit. */
  #forgetIdle(flows: ReadonlyMap<string, unknown>, jobs: readonly Share[]): void {
    for (const key of this.#deficits.keys()) if (!flows.has(key)) this.#deficits.delete(key)
    for (const key of flows.keys()) if (!this.#deficits.has(key)) this.#deficits.set(key, 0)
    const waiting = new Set(jobs.flatMap((job) => [job.userId, principalKey(job)]))
    for (const key of this.#lastPicked.keys()) if (!waiting.has(key)) this.#lastPicked.delete(key)
  }
}

const principalKey = ({ userId, principal }: Share) => `${userId}\n${principal}`

/** The jobs of one turn. The user who was picked longest ago is next, and within that user the principal likewise. */
class TurnQueue<Job extends Share> {
  readonly #users = new Map<string, Map<string, Job[]>>()
  readonly #lastPicked: Map<string, number>

  constructor(jobs: readonly Job[], lastPicked: Map<string, number>) {
    this.#lastPicked = lastPicked
    for (const [userId, ofUser] of Map.groupBy(jobs, (job) => job.userId))
      this.#users.set(userId, Map.groupBy(ofUser, principalKey))
  }

  /** Null if the queue is empty. */
  next(): Job | null {
    const principals = this.#longestAgo(this.#users)
    return (principals && this.#longestAgo(principals)?.[0]) ?? null
  }

  /** Removes the job that `next` returned. */
  take(job: Job, pick: number): void {
    const key = principalKey(job)
    const principals = this.#users.get(job.userId)!
    const jobs = principals.get(key)!
    jobs.shift()
    if (jobs.length === 0) principals.delete(key)
    if (principals.size === 0) this.#users.delete(job.userId)
    this.#lastPicked.set(job.userId, pick)
    this.#lastPicked.set(key, pick)
  }

  #longestAgo<Value>(candidates: ReadonlyMap<string, Value>): Value | null {
    let found: Value | null = null
    let lowest = Number.POSITIVE_INFINITY
    for (const [key, value] of candidates) {
      const last = this.#lastPicked.get(key) ?? 0
      if (last < lowest) [found, lowest] = [value, last]
    }
    return found
  }
}
