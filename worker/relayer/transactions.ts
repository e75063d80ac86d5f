import { signTransaction, type UnsignedTransaction } from '../chain/transaction.ts'
import type { Address, ChainId, Hex } from '../chain/types.ts'
import type { Plan } from '../domain/batch.ts'
import type { Fees } from '../domain/fees.ts'
import type { RelayerAccount } from './account.ts'
import type { Cargo } from './packing.ts'

const keepMs = 7 * 86_400_000 // 7 days
/** How long the hashes of a lost number are still looked up: the node may have lied. */
const doubtMs = 600_000 // 10 minutes
const emptyGas = 21_000n

export type AccountTx = {
  nonce: number
  kind: Plan['kind'] | 'fill'
  target: Address
  data: Hex
  gas: number
  state: 'open' | 'mined' | 'lost'
  accepted: number
  sent_block: number | null
  missing_at: number | null
}
export type Attempt = { hash: Hex; nonce: number; raw: Hex; empty: number; max_fee: string; max_priority_fee: string }

/**
 * The numbers of one account and what they carry. A number carries one content for life: only fees change, or nothing
 * at all is sent in its place. Fields and signed bytes are stored before anything leaves.
 */
export class Transactions {
  readonly #sql: SqlStorage
  readonly #chainId: ChainId
  readonly #account: RelayerAccount

  constructor(sql: SqlStorage, chainId: ChainId, account: RelayerAccount) {
    this.#sql = sql
    this.#chainId = chainId
    this.#account = account
  }

  /** Null until the chain was asked for the first time. */
  nextNonce(): number | null {
    return this.#sql.exec<{ next_nonce: number | null }>('SELECT next_nonce FROM account').one().next_nonce
  }

  /** Numbers below `nonce` are used up, by us or by somebody else with this key. */
  adopt(nonce: number): void {
    this.#sql.exec('UPDATE account SET next_nonce = max(coalesce(next_nonce, 0), ?)', nonce)
  }

  /** Takes the next number for `cargo` and signs: one synchronous step. */
  allocate(kind: Plan['kind'], cargo: Cargo, itemIds: readonly string[], fees: Fees, now: number): number {
    const nonce = this.nextNonce()
    if (nonce === null) throw new Error('the account number is unknown')
    this.#sql.exec('UPDATE account SET next_nonce = ?', nonce + 1)
    this.#insert(nonce, kind, cargo, now)
    this.#sql.exec(
      'INSERT INTO cargo (nonce, position, item_id) SELECT ?, key, value FROM json_each(?)',
      nonce,
      JSON.stringify(itemIds),
    )
    this.sign(nonce, fees, now)
    return nonce
  }

  /** Closes a hole below our own numbers: what we know of it again, or nothing. */
  fillHole(nonce: number, fees: Fees, now: number): void {
    if (this.get(nonce)) {
      this.#sql.exec(`UPDATE account_tx SET state = 'open', accepted = 0, missing_at = NULL WHERE nonce = ?`, nonce)
    } else {
      this.#insert(nonce, 'fill', { to: this.#account.address, data: '0x', gas: emptyGas }, now)
      this.sign(nonce, fees, now, true)
    }
  }

  #insert(nonce: number, kind: AccountTx['kind'], cargo: Cargo, now: number): void {
    this.#sql.exec(
      'INSERT INTO account_tx (nonce, kind, target, data, gas, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      nonce,
      kind,
      cargo.to,
      cargo.data,
      Number(cargo.gas),
      now,
    )
  }

  /** Signs the number's content, or an empty transfer to ourselves, with these fees and makes it the newest attempt. */
  sign(nonce: number, fees: Fees, now: number, empty = false): void {
    const { target, data, gas } = this.get(nonce)!
    const content = empty
      ? { to: this.#account.address, data: '0x' as const, gas: emptyGas }
      : { to: target, data, gas: BigInt(gas) }
    const unsigned: UnsignedTransaction = { chainId: this.#chainId, nonce, value: 0n, ...content, ...fees }
    const { raw, hash } = signTransaction(unsigned, this.#account.privateKey)
    this.#sql.exec(
      `INSERT OR IGNORE INTO attempt (hash, nonce, raw, empty, max_fee, max_priority_fee, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      hash,
      nonce,
      raw,
      empty ? 1 : 0,
      fees.maxFeePerGas.toString(),
      fees.maxPriorityFeePerGas.toString(),
      now,
    )
    this.#sql.exec('UPDATE account_tx SET accepted = 0 WHERE nonce = ?', nonce)
  }

  get(nonce: number): AccountTx | null {
    return this.#sql.exec<AccountTx>('SELECT * FROM account_tx WHERE nonce = ?', nonce).toArray()[0] ?? null
  }

  /** Lowest number first. */
  open(): AccountTx[] {
    return this.#sql.exec<AccountTx>(`SELECT * FROM account_tx WHERE state = 'open' ORDER BY nonce`).toArray()
  }

  /** Hashes whose receipts matter. */
  watched(now: number): Attempt[] {
    return this.#sql
      .exec<Attempt>(
        `SELECT attempt.* FROM attempt JOIN account_tx USING (nonce)
         WHERE state = 'open' OR (state = 'lost' AND closed_at > ?) ORDER BY attempt.seq DESC LIMIT 100`,
        now - doubtMs,
      )
      .toArray()
  }

  attempts(nonce: number): Attempt[] {
    return this.#sql.exec<Attempt>('SELECT * FROM attempt WHERE nonce = ? ORDER BY seq', nonce).toArray()
  }

  newest(nonce: number): Attempt {
    return this.#sql.exec<Attempt>('SELECT * FROM attempt WHERE nonce = ? ORDER BY seq DESC LIMIT 1', nonce).one()
  }

  /** In order of position. */
  cargo(nonce: number): string[] {
    return this.#sql
      .exec<{ item_id: string }>('SELECT item_id FROM cargo WHERE nonce = ? ORDER BY position', nonce)
      .toArray()
      .map((row) => row.item_id)
  }

  /** Does anything in it still have time, by the chain's clock (unix seconds)? */
  isWanted(nonce: number, timestamp: number): boolean {
    const live = this.#sql.exec<{ n: number }>(
      `SELECT count(*) AS n FROM cargo JOIN item ON item.id = item_id
       WHERE cargo.nonce = ? AND item.state = 'carried' AND item.nonce = cargo.nonce AND deadline >= ?`,
      nonce,
      timestamp,
    )
    return live.one().n > 0
  }

  accepted(nonce: number, block: number): void {
    this.#sql.exec('UPDATE account_tx SET accepted = 1, sent_block = ? WHERE nonce = ?', block, nonce)
  }

  /** Sent again as it is: a pool may have dropped it. */
  forget(nonce: number): void {
    this.#sql.exec('UPDATE account_tx SET accepted = 0 WHERE nonce = ?', nonce)
  }

  /** Its number is used up but no receipt is known: since when (ms). */
  missingSince(nonce: number, now: number): number {
    this.#sql.exec('UPDATE account_tx SET missing_at = coalesce(missing_at, ?) WHERE nonce = ?', now, nonce)
    return this.get(nonce)!.missing_at!
  }

  close(nonce: number, state: 'mined' | 'lost', now: number): void {
    this.#sql.exec('UPDATE account_tx SET state = ?, closed_at = ? WHERE nonce = ?', state, now, nonce)
  }

  prune(now: number): void {
    const old = '(SELECT nonce FROM account_tx WHERE closed_at < ?)'
    this.#sql.exec(`DELETE FROM cargo WHERE nonce IN ${old}`, now - keepMs)
    this.#sql.exec(`DELETE FROM attempt WHERE nonce IN ${old}`, now - keepMs)
    this.#sql.exec('DELETE FROM account_tx WHERE closed_at < ?', now - keepMs)
  }
}
