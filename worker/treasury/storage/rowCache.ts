/** Tables that almost every call reads. `any` is for queries that read several tables. */
export type CachedTable = 'rate' | 'gas_level' | 'gas_use' | 'payment' | 'any'

export type CachedRow = readonly [key: string, value: unknown]

/** Matches queries that may write to the table. */
const names: Record<CachedTable, RegExp> = {
  rate: /\brate\b/,
  gas_level: /\bgas_level\b/,
  gas_use: /\bgas_use\b/,
  payment: /\bpayment\b/,
  any: /(?:)/,
}

/** Query results, kept in memory until their table is written. The caller reports writes and rollbacks. */
export class RowCache {
  readonly #tables = new Map<CachedTable, Map<string, unknown>>()

  get<T>(table: CachedTable, key: string, read: () => T): T {
    const rows = this.#rowsOf(table)
    if (rows.has(key)) return rows.get(key) as T
    const value = read()
    rows.set(key, value)
    return value
  }

  set(table: CachedTable, key: string, value: unknown): void {
    this.#rowsOf(table).set(key, value)
  }

  /** `but`: a table whose rows the caller sets itself. */
  forgetWhatChanges(query: string, but?: CachedTable): void {
    this.#tables.forEach((rows, table) => {
      if (table !== but && rows.size > 0 && names[table].test(query)) rows.clear()
    })
  }

  clear(): void {
    this.#tables.clear()
  }

  #rowsOf(table: CachedTable): Map<string, unknown> {
    const known = this.#tables.get(table)
    if (known) return known
    const rows = new Map<string, unknown>()
    this.#tables.set(table, rows)
    return rows
  }
}
