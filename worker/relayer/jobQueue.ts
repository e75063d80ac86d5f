import { minLifetimeSeconds } from '#domain/intent.ts'
import type { Hex } from '../chain/types.ts'
import { insert, update } from '../durable/table.ts'
import type { RelayJob, StuckJob } from './api.ts'
import type { FailureQuota } from './failureQuota.ts'
import { enqueueReport } from './reportOutbox.ts'
import { accountTx, type JobRow, job as jobTable } from './tables.ts'

/** Failures on chain after which a job is given up. */
const maxChainFailures = 3
/** A mined job is reopened only after this long, since a Treasury that reads at CONFIRM_DEPTH may submit it late. */
const reopenAfterMs = 15_000 // 15 seconds

/** The part of a job from which a transaction is encoded. */
export type QueuedJob = Pick<RelayJob, 'id' | 'userId' | 'target' | 'data' | 'packed'> & { contractSet: number }

/**
 * The jobs of one Relayer, from submission until a day after their end (prune.ts):
 *
 *     waiting → parked              simulation failed, or the user is over the failure quota; retried when due
 *     waiting, parked → in_flight   part of a signed transaction
 *     in_flight → waiting           that transaction ended without executing it
 *     in_flight → mined, failed     final, unless a reorganization undoes it
 *     mined → in_flight, waiting    submitted again, perhaps because a reorganization undid it
 *     waiting, parked → dropped     expired, superseded or frozen
 *     waiting, parked → mined       another signature of the same intent was mined
 *
 * Synchronous: callers open the transaction.
 */
export class JobQueue {
  readonly #sql: SqlStorage
  readonly #quota: FailureQuota

  constructor(sql: SqlStorage, quota: FailureQuota) {
    this.#sql = sql
    this.#quota = quota
  }

  /** The ids of these that were submitted before. */
  knownIds(ids: readonly string[]): Set<string> {
    const rows = this.#sql.exec<Pick<JobRow, 'id'>>(
      'SELECT id FROM job WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    )
    return new Set(rows.toArray().map((row) => row.id))
  }

  add(job: RelayJob, now: number): void {
    const { principal = '' } = job
    insert(this.#sql, jobTable, {
      id: job.id,
      ref: job.ref ? JSON.stringify(job.ref) : null,
      user_id: job.userId,
      principal,
      is_new_account: job.isNewAccount ? 1 : 0,
      kind: job.kind,
      lane: job.packed ? 'send' : 'call',
      contract_set: job.contractSet ?? 1,
      target: job.target,
      data: job.data,
      packed: job.packed ? JSON.stringify(job.packed) : null,
      scope: job.guard?.scope ?? null,
      deadline: job.deadline,
      queued_at: now,
      due_at: job.kind === 'exit' ? now : this.#quota.retryAt(job.userId, principal, now),
    })
  }

  /** Number of jobs not in a transaction yet, and when the oldest was submitted (ms); null if there are none. */
  waiting(): { waiting: number; oldestAt: number | null } {
    return this.#sql
      .exec<{ waiting: number; oldestAt: number | null }>(
        `SELECT count(*) AS waiting, min(queued_at) AS oldestAt FROM job WHERE state IN ('waiting','parked')`,
      )
      .one()
  }

  /** Jobs submitted before `before` (ms) that are not in a transaction yet, oldest first. */
  stuck(before: number, limit: number): StuckJob[] {
    return this.#sql
      .exec<StuckJob>(
        `SELECT id, user_id AS userId, kind, state, queued_at AS since, due_at AS retryAt, reason FROM job
         WHERE state IN ('waiting','parked') AND queued_at <= ? ORDER BY queued_at LIMIT ?`,
        before,
        limit,
      )
      .toArray()
  }

  /** When the next parked job may be tried again (ms). */
  nextDueAt(now: number): number | null {
    return this.#sql
      .exec<{ due: number | null }>(
        `SELECT min(due_at) AS due FROM job WHERE state IN ('waiting','parked') AND due_at > ?`,
        now,
      )
      .one().due
  }

  /** Jobs in the order of `ids`, but sends of one wallet by rising nonce. Jobs that no longer wait are left out. */
  load(ids: readonly string[]): QueuedJob[] {
    const rows = this.#sql.exec<Pick<JobRow, 'id' | 'user_id' | 'target' | 'data' | 'packed' | 'contract_set'>>(
      `SELECT id, user_id, target, data, packed, contract_set FROM job
       WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('waiting','parked')`,
      JSON.stringify(ids),
    )
    const found = new Map(rows.toArray().map((row) => [row.id, row]))
    const jobs = ids.flatMap((id): QueuedJob[] => {
      const row = found.get(id)
      if (!row) return []
      const { user_id: userId, contract_set: contractSet, target, data } = row
      const job = { id, userId, target, data, contractSet }
      return [row.packed ? { ...job, packed: JSON.parse(row.packed) } : job]
    })
    return jobs.sort((a, b) =>
      a.packed && b.packed && a.packed.wallet === b.packed.wallet
        ? Number(BigInt(a.packed.nonce) - BigInt(b.packed.nonce))
        : 0,
    )
  }

  /** Drops jobs that expire within 60 s of `timestamp` (unix seconds, chain time); their signers sign again. */
  dropExpired(timestamp: number, now: number): void {
    const outcome = { state: 'dropped', reason: 'too little time left' } as const
    this.#finish(`state IN ('waiting','parked') AND deadline < ?`, [timestamp + minLifetimeSeconds], outcome, now)
  }

  /** Each of these jobs gets its own transaction from now on. */
  isolate(ids: readonly string[]): void {
    this.#sql.exec('UPDATE job SET isolated = 1 WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids))
  }

  /** Transactions of isolated jobs that are not mined yet. */
  isolatedInFlight(): number {
    return this.#sql
      .exec<{ n: number }>(`SELECT count(DISTINCT nonce) AS n FROM job WHERE state = 'in_flight' AND isolated = 1`)
      .one().n
  }

  markInFlight(ids: readonly string[], nonce: number): void {
    this.#sql.exec(
      `UPDATE job SET state = 'in_flight', nonce = ?, tx_hash = NULL, reason = NULL, reverts = 0
       WHERE id IN (SELECT value FROM json_each(?))`,
      nonce,
      JSON.stringify(ids),
    )
  }

  /** A node accepted the transaction with this nonce, so its hash can be shown. */
  markBroadcast(nonce: number, hash: Hex, now: number): void {
    this.#sql.exec(
      `UPDATE job SET tx_hash = ?, ${enqueueReport} WHERE nonce = ? AND state = 'in_flight' AND tx_hash IS NOT ?`,
      hash,
      now,
      nonce,
      hash,
    )
  }

  /** Marks the job as mined, and waiting jobs of the same intent with it, which have nothing left to do. */
  markMined(id: string, { hash, block }: { hash: Hex; block: number }, now: number): void {
    const mined = { state: 'mined', reason: null, hash, block } as const
    this.#finish(`id = ? AND state <> 'mined'`, [id], mined, now)
    this.#finish(`state IN ('waiting','parked') AND scope = (SELECT scope FROM job WHERE id = ?)`, [id], mined, now)
    this.#quota.recordMined(id, now)
  }

  /** The job failed inside the mined transaction `nonce`. It is retried in its own transaction, or given up. */
  markFailedOnChain(id: string, nonce: number, hash: Hex, now: number): void {
    const job = this.#sql
      .exec<Pick<JobRow, 'user_id' | 'kind' | 'chain_failures'>>(
        `UPDATE job SET chain_failures = chain_failures + 1 WHERE id = ? AND state = 'in_flight' AND nonce = ?
         RETURNING user_id, kind, chain_failures`,
        id,
        nonce,
      )
      .toArray()[0]
    if (!job) return
    // A recipient can make a transfer fail, and must not hold up the sender of the payout.
    if (job.kind !== 'sendOn') this.#quota.recordOnChain(job.user_id, now)
    if (job.chain_failures < maxChainFailures) this.requeue(id, nonce, { isolated: true }, now)
    else {
      update(this.#sql, jobTable, { id }, { reverts: 1 })
      this.#finish('id = ?', [id], { state: 'failed', reason: 'failed on chain', hash }, now)
    }
  }

  /** The transaction `nonce` ended without executing the job. */
  requeue(id: string, nonce: number, { isolated }: { isolated: boolean }, now: number): void {
    this.#sql.exec(
      `UPDATE job SET state = 'waiting', nonce = NULL, isolated = max(isolated, ?), due_at = ?
       WHERE id = ? AND state = 'in_flight' AND nonce = ?`,
      isolated ? 1 : 0,
      now,
      id,
      nonce,
    )
  }

  /** A reorganization removed the transaction `nonce` from the chain: its mined jobs are in flight again. */
  undoMined(nonce: number): void {
    this.#sql.exec(
      `UPDATE job SET state = 'in_flight', finished_at = NULL
       WHERE nonce = ? AND state = 'mined' AND tx_hash IN (SELECT hash FROM attempt WHERE attempt.nonce = job.nonce)`,
      nonce,
    )
  }

  /**
   * Reopens mined jobs that are submitted again: their Treasury does not find them on chain, so their transactions are
   * followed again until there is a receipt. Another signature's transaction may have executed the job.
   */
  reopenMined(ids: readonly string[], now: number): void {
    const mined = this.#sql.exec<{ nonce: number }>(
      `SELECT DISTINCT attempt.nonce FROM job JOIN attempt ON attempt.hash = job.tx_hash
       WHERE job.id IN (SELECT value FROM json_each(?)) AND job.state = 'mined' AND job.finished_at <= ?`,
      JSON.stringify(ids),
      now - reopenAfterMs,
    )
    for (const { nonce } of mined.toArray()) {
      const reopened = { state: 'open', missing_at: null, closed_at: null } as const
      update(this.#sql, accountTx, { nonce, state: 'mined' }, reopened)
      this.undoMined(nonce)
      // Such a job was never in a transaction itself.
      this.#sql.exec(
        `UPDATE job SET state = 'waiting', due_at = ?, finished_at = NULL WHERE state = 'mined' AND nonce IS NULL
           AND tx_hash IN (SELECT hash FROM attempt WHERE attempt.nonce = ?)`,
        now,
        nonce,
      )
    }
  }

  /** Drops the waiting signature of an intent that a newer signature replaces. */
  supersede(scope: string, now: number): void {
    this.#finish(
      `state IN ('waiting','parked') AND scope = ?`,
      [scope],
      { state: 'dropped', reason: 'superseded' },
      now,
    )
  }

  dropOfUser(userId: string, reason: string, now: number): void {
    this.#finish(`state IN ('waiting','parked') AND user_id = ?`, [userId], { state: 'dropped', reason }, now)
  }

  forgetDropped(userId: string, reason: string): void {
    this.#sql.exec(`DELETE FROM job WHERE user_id = ? AND state = 'dropped' AND reason = ?`, userId, reason)
  }

  #finish(
    where: string,
    bindings: (string | number)[],
    outcome: { state: 'mined' | 'failed' | 'dropped'; reason: string | null; hash?: Hex; block?: number },
    now: number,
  ): void {
    this.#sql.exec(
      `UPDATE job SET state = ?, reason = ?, tx_hash = coalesce(?, tx_hash), mined_block = ?, finished_at = ?,
         ${enqueueReport}
       WHERE ${where}`,
      outcome.state,
      outcome.reason,
      outcome.hash ?? null,
      outcome.block ?? null,
      now,
      now,
      ...bindings,
    )
  }
}
