import { utcDay } from '#domain/gasAllowance.ts'

/** Gas units granted to new accounts today (UTC), all of them together. */
export class NewAccountGas {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns false and grants nothing if today's `ceiling` would be exceeded. */
  grant(gas: number, ceiling: number, now: number): boolean {
    const day = utcDay(now)
    this.#sql.exec('DELETE FROM new_account_gas WHERE day < ?', day)
    const granted =
      this.#sql.exec<{ granted: number }>('SELECT granted FROM new_account_gas WHERE day = ?', day).toArray()[0]
        ?.granted ?? 0
    if (granted + gas > ceiling) return false
    this.#sql.exec(
      'INSERT INTO new_account_gas (day, granted) VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET granted = granted + ?2',
      day,
      gas,
    )
    return true
  }
}
