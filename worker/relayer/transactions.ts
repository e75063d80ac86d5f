import { signTransaction, type UnsignedTransaction } from '../chain/transaction.ts'
import type { Address, ChainId } from '../chain/types.ts'
import { insert, update } from '../durable/table.ts'
import type { RelayerAccount } from './account.ts'
import type { TransactionContent } from './batchEncoding.ts'
import { type Batch, maxInFlight } from './chooseBatch.ts'
import type { Fees } from './fees.ts'
import { type AccountTransaction, type Attempt, accountTx, attempt, type RelayerAccountRow } from './tables.ts'

/** How long receipts of a lost nonce are still watched for, because the node may have been wrong. */
export const lostWatchMs = 600_000 // 10 minutes
const maxWatched = 100
const transferGas = 21_000n

/** A transaction without a final outcome. */
export type OpenTransaction = Pick<AccountTransaction, 'nonce' | 'accepted' | 'sent_block'>
/** An attempt whose receipt matters. */
export type WatchedAttempt = Pick<Attempt, 'hash' | 'nonce' | 'is_cancellation'>

/** Each version of the seed has its own range of stored nonces, which identifies their account. */
const rangeSize = 2 ** 32

/**
 * The nonces of one account and what was signed for each. The content of a nonce never changes: a replacement has
 * different fees, or is a cancellation, an empty transfer to the account itself. Every attempt is stored, signed, before it
 * is sent. Synchronous: callers open the transaction. A nonce here is the one on chain plus `firstNonce`, so that the
 * accounts of several versions of the seed share the tables.
 */
export class Transactions {
  readonly #sql: SqlStorage
  readonly #chainId: ChainId
  readonly #account: RelayerAccount

  readonly #version: number
  readonly firstNonce: number

  /** `version` is that of the seed; its row in relayer_account must exist. */
  constructor(sql: SqlStorage, chainId: ChainId, account: RelayerAccount, version: number) {
    this.#sql = sql
    this.#chainId = chainId
    this.#account = account
    this.#version = version
    this.firstNonce = (version - 1) * rangeSize
  }

  /** Null until the chain was read for the first time. */
  nextNonce(): number | null {
    return this.#sql
      .exec<Pick<RelayerAccountRow, 'next_nonce'>>(
        'SELECT next_nonce FROM relayer_account WHERE version = ?',
        this.#version,
      )
      .one().next_nonce
  }

  /** Skips nonces below `nonce`, which are used, by us or by another holder of this key. */
  skipTo(nonce: number): void {
    this.#sql.exec(
      'UPDATE relayer_account SET next_nonce = max(coalesce(next_nonce, 0), ?) WHERE version = ?',
      nonce,
      this.#version,
    )
  }

  /** Takes the next nonce for this content and signs it. Returns the nonce. */
  create(
    kind: Batch['kind'],
    content: TransactionContent,
    jobIds: readonly string[],
    fees: Fees,
    now: number,
    value = 0n,
  ): number {
    const nonce = this.nextNonce()
    if (nonce === null) throw new Error('the next nonce is unknown')
    this.skipTo(nonce + 1)
    this.#insert(nonce, kind, content, now, value)
    this.#sql.exec(
      'INSERT INTO batch_job (nonce, position, job_id) SELECT ?, key, value FROM json_each(?)',
      nonce,
      JSON.stringify(jobIds),
    )
    this.sign(nonce, fees, now)
    return nonce
  }

  /** Takes the next nonce for a plain transfer of `value` wei. Returns the nonce. */
  createTransfer(to: Address, value: bigint, fees: Fees, now: number): number {
    return this.create('direct', { to, data: '0x', gas: transferGas }, [], fees, now, value)
  }

  isTransfer(nonce: number): boolean {
    return this.get(nonce)?.value !== '0'
  }

  /** Closes a gap below our nonces, with the earlier content of this nonce, or with an empty transfer if it had none. */
  fillGap(nonce: number, fees: Fees, now: number): void {
    if (this.get(nonce)) {
      this.#change(nonce, { state: 'open', accepted: 0, missing_at: null })
    } else {
      this.#insert(nonce, 'fill', this.#emptyTransfer(), now)
      this.signCancellation(nonce, fees, now)
    }
  }

  #insert(nonce: number, kind: AccountTransaction['kind'], content: TransactionContent, now: number, value = 0n): void {
    insert(this.#sql, accountTx, {
      nonce,
      kind,
      target: content.to,
      data: content.data,
      value: value.toString(),
      gas: Number(content.gas),
      created_at: now,
    })
  }

  #emptyTransfer(): TransactionContent {
    return { to: this.#account.address, data: '0x', gas: transferGas }
  }

  /** Signs the content of the nonce with these fees, as its newest attempt. */
  sign(nonce: number, fees: Fees, now: number): void {
    const { target, data, gas, value } = this.get(nonce)!
    const content = { to: target, data, gas: BigInt(gas), value: BigInt(value) }
    this.#addAttempt(nonce, content, fees, { isCancellation: false }, now)
  }

  /** Signs an empty transfer in place of the content, as the newest attempt. */
  signCancellation(nonce: number, fees: Fees, now: number): void {
    this.#addAttempt(nonce, this.#emptyTransfer(), fees, { isCancellation: true }, now)
  }

  #addAttempt(
    nonce: number,
    content: TransactionContent & { value?: bigint },
    fees: Fees,
    { isCancellation }: { isCancellation: boolean },
    now: number,
  ): void {
    const unsigned: UnsignedTransaction = {
      chainId: this.#chainId,
      nonce: nonce - this.firstNonce,
      value: 0n,
      ...content,
      ...fees,
    }
    const { raw, hash } = signTransaction(unsigned, this.#account.privateKey)
    const row = {
      hash,
      nonce,
      raw,
      is_cancellation: isCancellation ? 1 : 0,
      max_fee: fees.maxFeePerGas.toString(),
      max_priority_fee: fees.maxPriorityFeePerGas.toString(),
      created_at: now,
    }
    insert(this.#sql, attempt, row, 'ON CONFLICT DO NOTHING')
    this.markUnsent(nonce)
  }

  get(nonce: number): AccountTransaction | null {
    return this.#sql.exec<AccountTransaction>('SELECT * FROM account_tx WHERE nonce = ?', nonce).toArray()[0] ?? null
  }

  /** Lowest nonce first. */
  open(): OpenTransaction[] {
    return this.#sql
      .exec<OpenTransaction>(
        `SELECT nonce, accepted, sent_block FROM account_tx WHERE state = 'open' AND nonce >= ? AND nonce < ? ORDER BY nonce`,
        this.firstNonce,
        this.firstNonce + rangeSize,
      )
      .toArray()
  }

  /** False while as many transactions are in flight as the account may have. */
  hasCapacity(): boolean {
    return this.open().length < maxInFlight
  }

  /** False too while a transaction is uncertain, that is not accepted by a node yet. */
  mayTakeNonce(): boolean {
    const open = this.open()
    return open.length < maxInFlight && open.every(({ accepted }) => accepted)
  }

  /** Newest first. Reads no signed bytes: a batch is large, and every step reads this several times. */
  watched(now: number): WatchedAttempt[] {
    return this.#sql
      .exec<WatchedAttempt>(
        `SELECT hash, attempt.nonce, is_cancellation FROM attempt JOIN account_tx USING (nonce)
         WHERE (state = 'open' OR (state = 'lost' AND closed_at > ?)) AND nonce >= ? AND nonce < ?
         ORDER BY attempt.seq DESC LIMIT ?`,
        now - lostWatchMs,
        this.firstNonce,
        this.firstNonce + rangeSize,
        maxWatched,
      )
      .toArray()
  }

  /** Oldest first. */
  attempts(nonce: number): Attempt[] {
    return this.#sql.exec<Attempt>('SELECT * FROM attempt WHERE nonce = ? ORDER BY seq', nonce).toArray()
  }

  newestAttempt(nonce: number): Attempt {
    return this.#sql.exec<Attempt>('SELECT * FROM attempt WHERE nonce = ? ORDER BY seq DESC LIMIT 1', nonce).one()
  }

  /** Ids in the order of the jobs in the transaction. */
  jobIds(nonce: number): string[] {
    return this.#sql
      .exec<{ job_id: string }>('SELECT job_id FROM batch_job WHERE nonce = ? ORDER BY position', nonce)
      .toArray()
      .map((row) => row.job_id)
  }

  /** True if any job of the nonce can still be executed at `timestamp` (unix seconds, chain time). */
  hasLiveJobs(nonce: number, timestamp: number): boolean {
    const live = this.#sql.exec<{ n: number }>(
      `SELECT count(*) AS n FROM batch_job JOIN job ON job.id = job_id
       WHERE batch_job.nonce = ? AND job.state = 'in_flight' AND job.nonce = batch_job.nonce AND deadline >= ?`,
      nonce,
      timestamp,
    )
    return live.one().n > 0
  }

  /** A node accepted the newest attempt while `block` was the newest. */
  markAccepted(nonce: number, block: number): void {
    this.#change(nonce, { accepted: 1, sent_block: block })
  }

  /** The newest attempt has to be sent, or sent again because a pool may have dropped it. */
  markUnsent(nonce: number): void {
    this.#change(nonce, { accepted: 0 })
  }

  /** Since when the nonce has been known to be used without a known receipt (ms). The first call records `now`. */
  receiptMissingSince(nonce: number, now: number): number {
    this.#sql.exec('UPDATE account_tx SET missing_at = coalesce(missing_at, ?) WHERE nonce = ?', now, nonce)
    return this.get(nonce)!.missing_at!
  }

  /**
   * Divides the gas of a mined attempt among its jobs. If another attempt was recorded before, which a reorganization
   * or a wrong node has undone, only the difference counts. A receipt cannot name more gas than the limit we signed.
   */
  recordGas(nonce: number, gasUsed: bigint): void {
    const { gas, gas_used: before } = this.get(nonce)!
    const now = gasUsed < BigInt(gas) ? Number(gasUsed) : gas
    const jobs = this.jobIds(nonce)
    const share = (total: number) => Math.ceil(total / Math.max(1, jobs.length))
    this.#change(nonce, { gas_used: now })
    this.#sql.exec(
      'UPDATE job SET gas_used = gas_used + ? WHERE id IN (SELECT value FROM json_each(?))',
      share(now) - share(before ?? 0),
      JSON.stringify(jobs),
    )
  }

  close(nonce: number, state: 'mined' | 'lost', now: number): void {
    this.#change(nonce, { state, closed_at: now })
  }

  #change(nonce: number, changes: Partial<AccountTransaction>): void {
    update(this.#sql, accountTx, { nonce }, changes)
  }
}
