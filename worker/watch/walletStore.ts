import { dayMs } from '#domain/time.ts'
import { forgottenMs, type Sweep, type Watched, walletsPerCall } from '#domain/watch.ts'
import { type RowOf, replace } from '../durable/table.ts'
import type { IdleWallet } from './api.ts'
import { callSize, sweep, toColumns, toWatched, type WatchedRow, wallet } from './tables.ts'

export type WalletKey = Pick<WatchedRow, 'user_id' | 'wallet_id'>

/** What a Watch stores. */
export class WalletStore {
  readonly #sql: SqlStorage
  /** Null: unknown. Counting reads every row. */
  #wallets: number | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  wallets(): number {
    this.#wallets ??= this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM wallet').one().n
    return this.#wallets
  }

  busy(): number {
    return this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM wallet WHERE digest IS NULL').one().n
  }

  get({ user_id, wallet_id }: WalletKey): Watched | null {
    const row = this.#sql
      .exec<WatchedRow>('SELECT * FROM wallet WHERE user_id = ? AND wallet_id = ?', user_id, wallet_id)
      .toArray()[0]
    return row ? toWatched(row) : null
  }

  add({ userId, walletId, kind, address }: IdleWallet, watched: Watched): void {
    replace(this.#sql, wallet, { user_id: userId, wallet_id: walletId, kind, address, ...toColumns(watched) })
    this.#wallets = null
  }

  /** `watched` null: it is not watched any longer. */
  save({ user_id, wallet_id }: WalletKey, watched: Watched | null): void {
    if (watched === null) {
      this.#sql.exec('DELETE FROM wallet WHERE user_id = ? AND wallet_id = ?', user_id, wallet_id)
      this.#wallets = null
      return
    }
    const { digest, block, renewedAt, wokenAt } = watched
    this.#sql.exec(
      'UPDATE wallet SET digest = ?, block = ?, renewed_at = ?, woken_at = ? WHERE user_id = ? AND wallet_id = ?',
      ...[digest, block, renewedAt, wokenAt, user_id, wallet_id],
    )
  }

  /** The next idle wallets after this one. */
  page(after: WalletKey, limit: number): WatchedRow[] {
    return this.#sql
      .exec<WatchedRow>(
        `SELECT * FROM wallet WHERE (user_id, wallet_id) > (?, ?) AND digest IS NOT NULL
         ORDER BY user_id, wallet_id LIMIT ?`,
        ...[after.user_id, after.wallet_id, limit],
      )
      .toArray()
  }

  forgetOld(now: number): void {
    this.#sql.exec('DELETE FROM wallet WHERE abs(renewed_at - ?) > ?', now, forgottenMs)
    this.#wallets = null
  }

  /** When the first wallet was added (ms); null if there is none. */
  firstAddedAt(): number | null {
    return this.#sql.exec<{ at: number | null }>('SELECT min(added_at) AS at FROM wallet').one().at
  }

  lastSweep(): (Sweep & { woken: number }) | null {
    const row = this.#sql.exec<RowOf<typeof sweep>>('SELECT * FROM sweep').toArray()[0]
    return row ? { block: row.block, startedAt: row.started_at, endedAt: row.ended_at, woken: row.woken } : null
  }

  recordSweep({ block, startedAt, endedAt }: Sweep, woken: number): void {
    replace(this.#sql, sweep, { one: 1, block, started_at: startedAt, ended_at: endedAt, woken })
  }

  /** How many wallets one call reads. After a day, the node is asked for as many as usual again. */
  walletsPerCall(now: number): number {
    const row = this.#sql.exec<RowOf<typeof callSize>>('SELECT * FROM call_size').toArray()[0]
    return row && Math.abs(now - row.at) < dayMs ? row.wallets : walletsPerCall
  }

  recordRefused(wallets: number, now: number): void {
    replace(this.#sql, callSize, { one: 1, wallets: Math.ceil(wallets / 2), at: now })
  }
}
