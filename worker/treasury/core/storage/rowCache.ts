/** Tables that almost every call reads. `any` is for queries that read several tables. */
export type CachedTable = 'meta' | 'rate' | 'gas_level' | 'gas_use' | 'payment' | 'run' | 'wallet_action' | 'any'

export type CachedRow = readonly [key: string, value: unknown]

/** Matches queries that may write to the table. */
const names: Record<CachedTable, RegExp> = {
  meta: /\bmeta\b/,
  rate: /\brate\b/,
  gas_level: /\bgas_level\b/,
  gas_use: /\bgas_use\b/,
  payment: /\bpayment\b/,
  run: /\brun\b/,
  wallet_action: /\bwallet_action\b/,
  any: /(?:)/,
}

/** Query results, kept in memory until their table is written. The caller reports writes and rollbacks. */
export class RowCache {
  readonly #tables = new Map<CachedTable, Map<string, unknown>>()
  /** By query. */
  readonly #changedBy = new Map<string, ReadonlySet<CachedTable>>()

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
    for (const table of this.#changesOf(query)) if (table !== but) this.#tables.get(table)?.clear()
  }

  clear(): void {
    this.#tables.clear()
  }

  #changesOf(query: string): ReadonlySet<CachedTable> {
    const known = this.#changedBy.get(query)
    if (known) return known
    const changed = new Set((Object.keys(names) as CachedTable[]).filter((table) => names[table].test(query)))
    if (this.#changedBy.size >= 1_000) this.#changedBy.clear()
    this.#changedBy.set(query, changed)
    return changed
  }

  #rowsOf(table: CachedTable): Map<string, unknown> {
    const known = this.#tables.get(table)
    if (known) return known
    const rows = new Map<string, unknown>()
    this.#tables.set(table, rows)
    return rows
  }
}
