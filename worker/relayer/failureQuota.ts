import { hourMs } from '#domain/time.ts'
import { insert, replace, update } from '../durable/table.ts'
import { enqueueReport } from './reportOutbox.ts'
import {
  type FailingPrincipalRow,
  failingPrincipal,
  failure as failureTable,
  type JobRow,
  job as jobTable,
} from './tables.ts'

export type JobFailure = {
  reason: string
  /** The contract refuses the call; otherwise the node could not execute it. */
  reverts: boolean
  /** The job would succeed on its own. */
  onlyInBatch?: boolean
}

/** After this many failures on chain within an hour, for which we paid gas, a user's jobs are parked. */
const maxChainFailures = 10
const windowMs = hourMs
const overQuotaParkMs = 60_000 // 1 minute
/** How long a job and its principal wait after the job failed in simulation. */
const firstDelayMs = 2_000 // 2 seconds, doubling
const maxDelayMs = 60_000 // 1 minute
/** A principal without failures for this long starts again with the first delay. */
const forgetMs = 600_000 // 10 minutes

/** Condition on a row of `job`: its principal is failing. Binds one value, `failingSince(now)`. */
export const isFailingPrincipal = `kind <> 'exit' AND EXISTS (SELECT 1 FROM failing_principal AS failing
  WHERE failing.user_id = job.user_id AND failing.principal = job.principal AND failing.retry_at > ?)`
export const failingSince = (now: number): number => now - forgetMs

/** Delay after the n-th failure, counted from 0 (ms). */
const failureDelay = (failures: number): number => Math.min(firstDelayMs * 2 ** failures, maxDelayMs)

type ParkedRow = Pick<JobRow, 'user_id' | 'principal' | 'kind' | 'simulation_failures'>

/**
 * Delays jobs after failures: those of the user after failures on chain, which cost gas; those of the principal (the
 * owner, an agent or a payout) after failures in simulation, which cost time, however many jobs it creates. Exits do not
 * count and do not wait. Synchronous: callers open the transaction.
 */
export class FailureQuota {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  recordOnChain(userId: string, now: number): void {
    insert(this.#sql, failureTable, { user_id: userId, at: now })
  }

  /** Parks the due jobs of users with too many failures on chain. */
  parkOverQuota(now: number): void {
    const users = this.#sql
      .exec<Pick<JobRow, 'user_id'>>(
        'SELECT user_id FROM failure WHERE at > ? GROUP BY user_id HAVING count(*) >= ?',
        now - windowMs,
        maxChainFailures,
      )
      .toArray()
    if (users.length === 0) return
    this.#sql.exec(
      `UPDATE job SET state = 'parked', due_at = ?, reason = 'too many failed deliveries this hour', ${enqueueReport}
       WHERE state IN ('waiting','parked') AND kind <> 'exit' AND due_at <= ?
         AND user_id IN (SELECT value FROM json_each(?))`,
      now + overQuotaParkMs,
      now,
      now,
      JSON.stringify(users.map((row) => row.user_id)),
    )
  }

  /** Parks jobs that fail in simulation and retries them later. Other jobs of their principals wait until then too. */
  park(failures: ReadonlyMap<string, JobFailure>, now: number): void {
    const principals = new Map<string, ParkedRow>()
    for (const [id, failure] of failures) {
      const job = this.#parkOne(id, failure, now)
      if (!job || job.kind === 'exit' || failure.onlyInBatch) continue
      principals.set(`${job.user_id}\n${job.principal}`, job)
    }
    for (const { user_id, principal } of principals.values()) {
      this.#sql.exec(
        `UPDATE job SET due_at = ?1 WHERE user_id = ?2 AND principal = ?3 AND state IN ('waiting','parked')
           AND kind <> 'exit' AND due_at < ?1`,
        this.#recordSimulation(user_id, principal, now),
        user_id,
        principal,
      )
    }
  }

  /** Reports the job again only if the reason has changed. Returns undefined if the job is no longer waiting. */
  #parkOne(id: string, { reason, reverts, onlyInBatch }: JobFailure, now: number): ParkedRow | undefined {
    this.#sql.exec(
      `UPDATE job SET ${enqueueReport} WHERE id = ? AND (state = 'waiting' OR (state = 'parked' AND reason IS NOT ?))`,
      now,
      id,
      reason,
    )
    const [job] = this.#sql
      .exec<ParkedRow>(
        `UPDATE job SET state = 'parked', reason = ?, reverts = ?, isolated = max(isolated, ?),
           simulation_failures = simulation_failures + 1
         WHERE id = ? AND state IN ('waiting','parked') RETURNING user_id, principal, kind, simulation_failures`,
        reason,
        reverts ? 1 : 0,
        onlyInBatch ? 1 : 0,
        id,
      )
      .toArray()
    if (job) {
      const dueAt = now + failureDelay(job.simulation_failures - 1)
      update(this.#sql, jobTable, { id }, { due_at: dueAt })
    }
    return job
  }

  /** Returns when the principal's jobs are tried again (ms). Failures during a delay count once. */
  #recordSimulation(userId: string, principal: string, now: number): number {
    const known = this.#failing(userId, principal, now)
    if (known && known.retry_at > now) return known.retry_at
    const failures = known?.failures ?? 0
    const retryAt = now + failureDelay(failures)
    const row = { user_id: userId, principal, failures: failures + 1, retry_at: retryAt }
    replace(this.#sql, failingPrincipal, row)
    return retryAt
  }

  /** A mined job cancels one failure of its principal. Once none is left, its jobs that did not fail are due now. */
  recordMined(jobId: string, now: number): void {
    const [left] = this.#sql
      .exec<FailingPrincipalRow>(
        `UPDATE failing_principal SET failures = failures - 1
         WHERE (user_id, principal) = (SELECT user_id, principal FROM job WHERE id = ?) RETURNING *`,
        jobId,
      )
      .toArray()
    if (!left || left.failures > 0) return
    const { user_id, principal } = left
    this.#sql.exec('DELETE FROM failing_principal WHERE user_id = ? AND principal = ?', user_id, principal)
    this.#sql.exec(
      `UPDATE job SET due_at = ?1 WHERE user_id = ?2 AND principal = ?3 AND state = 'waiting' AND due_at > ?1`,
      now,
      user_id,
      principal,
    )
  }

  /** No job of the principal is tried before this time (ms). */
  retryAt(userId: string, principal: string, now: number): number {
    return Math.max(now, this.#failing(userId, principal, now)?.retry_at ?? now)
  }

  #failing(userId: string, principal: string, now: number): FailingPrincipalRow | undefined {
    return this.#sql
      .exec<FailingPrincipalRow>(
        'SELECT * FROM failing_principal WHERE user_id = ? AND principal = ? AND retry_at > ?',
        userId,
        principal,
        failingSince(now),
      )
      .toArray()[0]
  }

  prune(now: number): void {
    this.#sql.exec('DELETE FROM failure WHERE at < ?', now - windowMs)
    this.#sql.exec('DELETE FROM failing_principal WHERE retry_at <= ?', failingSince(now))
  }
}
