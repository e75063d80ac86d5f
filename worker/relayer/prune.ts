import { dayMs } from '#domain/time.ts'
import { forgetTurns } from './readyJobs.ts'
import type { AccountTransaction } from './tables.ts'
import type { TransactionSubmitter } from './transactionSubmitter.ts'
import { lostWatchMs } from './transactions.ts'

/** How long the outcome of a job is kept, for reports and so that the job is not accepted a second time. */
const jobRetentionMs = dayMs
/** A run deletes at most this many of each, because delivery waits meanwhile. */
const maxTransactions = 500
const maxRows = 10_000

/**
 * Deletes what can no longer matter:
 *
 *     transactions with their signed bytes   once their nonce is used at a finalized block
 *     the calls of their jobs                with them
 *     guards                                 once executed in such a transaction, or once a finalized block is later than
 *                                            every deadline accepted for them
 *     jobs                                   a day after their end, if that is final
 *
 * Different content under a nonce whose guard is gone is refused by the Treasury, which keeps the payment, and by the
 * wallet, which executes a nonce once. Returns whether more is left. `now` is in ms. Throws RpcUnavailable, after deleting
 * old jobs.
 */
export async function prune(
  storage: DurableObjectStorage,
  accounts: readonly TransactionSubmitter[],
  now: number,
): Promise<{ isMoreLeft: boolean }> {
  const jobs = storage.transactionSync(() => {
    forgetTurns(storage.sql, now - dayMs)
    return deleteOldJobs(storage.sql, now)
  })
  const chain = accounts[0]!.chain()
  const [finalized, ...nonces] = await Promise.all([
    chain.finalized(),
    ...accounts.map(({ address }) => chain.accountNonce(address, 'finalized')),
  ])
  return storage.transactionSync(() => {
    const ranges = accounts.map(({ transactions: { firstNonce } }, i) => [firstNonce, firstNonce + nonces[i]!] as const)
    const transactions = Math.max(...ranges.map((range) => deleteFinalTransactions(storage.sql, range, now)))
    const guards = deleteExpiredGuards(storage.sql, finalized.timestamp)
    return { isMoreLeft: jobs === maxRows || transactions === maxTransactions || guards === maxRows }
  })
}

const count = (sql: SqlStorage, query: string, ...bindings: number[]) => sql.exec(query, ...bindings).toArray().length

const deleteOldJobs = (sql: SqlStorage, now: number): number =>
  count(
    sql,
    // The calls of a mined job are deleted at finality.
    `DELETE FROM job WHERE seq IN
       (SELECT seq FROM job WHERE finished_at < ? AND (state <> 'mined' OR data = '') LIMIT ?) RETURNING 1`,
    now - jobRetentionMs,
    maxRows,
  )

/** The range is from the account's first nonce to its next one at a finalized block. */
function deleteFinalTransactions(sql: SqlStorage, [first, next]: readonly [number, number], now: number): number {
  const final = sql
    .exec<Pick<AccountTransaction, 'nonce'>>(
      `SELECT nonce FROM account_tx WHERE nonce >= ? AND nonce < ? AND state <> 'open' AND (state = 'mined' OR closed_at < ?)
       ORDER BY nonce LIMIT ?`,
      first,
      next,
      now - lostWatchMs,
      maxTransactions,
    )
    .toArray()
  const nonces = JSON.stringify(final.map((row) => row.nonce))
  const within = 'IN (SELECT value FROM json_each(?))'
  const jobs = `job.finished_at IS NOT NULL AND job.id IN (SELECT job_id FROM batch_job WHERE nonce ${within})`
  sql.exec(`DELETE FROM guard WHERE scope IN (SELECT scope FROM job WHERE state = 'mined' AND ${jobs})`, nonces)
  sql.exec(`UPDATE job SET data = '', packed = NULL WHERE ${jobs}`, nonces)
  for (const table of ['batch_job', 'attempt', 'account_tx'])
    sql.exec(`DELETE FROM ${table} WHERE nonce ${within}`, nonces)
  return final.length
}

const deleteExpiredGuards = (sql: SqlStorage, finalizedTimestamp: number): number =>
  count(
    sql,
    'DELETE FROM guard WHERE scope IN (SELECT scope FROM guard WHERE max_deadline < ? LIMIT ?) RETURNING 1',
    finalizedTimestamp,
    maxRows,
  )
