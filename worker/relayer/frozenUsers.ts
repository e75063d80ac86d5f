/** Users whose jobs are refused while their Treasury is restored from a backup. */
export class FrozenUsers {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  all(): Set<string> {
    const rows = this.#sql.exec<{ user_id: string }>('SELECT user_id FROM frozen').toArray()
    return new Set(rows.map((row) => row.user_id))
  }

  add(userId: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO frozen (user_id) VALUES (?)', userId)
  }

  remove(userId: string): void {
    this.#sql.exec('DELETE FROM frozen WHERE user_id = ?', userId)
  }
}
