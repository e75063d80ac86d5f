import { stepGas } from '#domain/gasAllowance.ts'
import { hasContracts } from '../chain/contractSets.ts'
import type { Chain } from '../chain/types.ts'
import { replace } from '../durable/table.ts'
import type { WaitingJob } from './chooseBatch.ts'
import { failingSince, isFailingPrincipal } from './failureQuota.ts'
import { type JobRow, newAccountTurn } from './tables.ts'

/** Maximum number of jobs per user and lane considered for a batch, so that a long queue does not hide other users. */
const maxReadyPerUser = 50
const maxReady = 500

/** Condition on a row of `job`: it may be sent now. Binds one value, `now` (ms). */
const isReady = `state IN ('waiting','parked') AND due_at <= ?
  -- A newer signature of an intent that is in flight waits for the outcome.
  AND NOT EXISTS (SELECT 1 FROM job other WHERE other.scope = job.scope AND other.state = 'in_flight')`

export const hasReadyJobs = (sql: SqlStorage, now: number): boolean =>
  sql.exec(`SELECT 1 FROM job WHERE ${isReady} LIMIT 1`, now).toArray().length > 0

type ReadyRow = JobRow & { is_failing: number; waiting_since: number }

/**
 * Jobs that may be sent now, by due time. Of a long queue, only the first ones, taking turns between principals and users.
 * All new accounts together get the places of one user; among them, the one that has waited longest since its last turn is
 * first, and its jobs count as due since then. Jobs of a contract set that `chain` does not know have no Relay contract, so
 * they are sent one by one.
 */
export function readyJobs(sql: SqlStorage, chain: Pick<Chain, 'contractSets'>, now: number): WaitingJob[] {
  return sql
    .exec<ReadyRow>(
      `SELECT * FROM (
         SELECT *, row_number() OVER (
           PARTITION BY iif(is_new_account, 'new accounts', user_id), lane ORDER BY place_of_user, waiting_since, seq
         ) AS place FROM (
           SELECT *, row_number() OVER (PARTITION BY user_id, lane ORDER BY turn, due_at, seq) AS place_of_user,
             max(due_at, iif(is_new_account, coalesce(last_turn, 0), 0)) AS waiting_since
           FROM (
             SELECT seq, id, user_id, principal, is_new_account, kind, lane, contract_set, isolated, due_at,
               ${isFailingPrincipal} AS is_failing,
               row_number() OVER (PARTITION BY user_id, principal, lane ORDER BY due_at, seq) AS turn
             FROM job
             WHERE ${isReady}
           ) LEFT JOIN new_account_turn USING (user_id)
         )
       ) WHERE place <= ? ORDER BY place, is_new_account, waiting_since, seq LIMIT ?`,
      failingSince(now),
      now,
      maxReadyPerUser,
      maxReady,
    )
    .toArray()
    .map((row) => ({
      id: row.id,
      userId: row.user_id,
      principal: row.principal,
      isNewAccount: row.is_new_account === 1,
      gas: row.kind === 'exit' ? stepGas.ownerAction : stepGas[row.kind],
      lane: row.lane,
      contractSet: row.contract_set,
      isolated: row.isolated === 1 || !hasContracts(chain, row.contract_set),
      isFailing: row.is_failing === 1,
      dueAt: row.waiting_since,
    }))
    .sort((a, b) => a.dueAt - b.dueAt)
}

/** Moves the new accounts of these jobs to the end of their queue. */
export function recordTurns(sql: SqlStorage, jobs: readonly WaitingJob[], now: number): void {
  for (const { userId } of jobs.filter(({ isNewAccount }) => isNewAccount))
    replace(sql, newAccountTurn, { user_id: userId, last_turn: now })
}

/** Forgets turns from before `before` (ms): nothing that was due then still waits. */
export const forgetTurns = (sql: SqlStorage, before: number): void =>
  void sql.exec('DELETE FROM new_account_turn WHERE last_turn < ?', before)
