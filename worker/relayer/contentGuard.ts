import type { RelayJob } from './api.ts'

type Guard = NonNullable<RelayJob['guard']>

/** The content first accepted under each scope. Entries are kept for good: two contents of one scope would be a double payment. */
export class ContentGuard {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Contents by scope; unknown scopes are left out. */
  contentsOf(scopes: readonly string[]): Map<string, string> {
    const rows = this.#sql.exec<{ scope: string; content: string }>(
      'SELECT scope, content FROM guard WHERE scope IN (SELECT value FROM json_each(?))',
      JSON.stringify(scopes),
    )
    return new Map(rows.toArray().map((row) => [row.scope, row.content]))
  }

  add({ scope, content }: Guard): void {
    this.#sql.exec('INSERT OR IGNORE INTO guard (scope, content) VALUES (?, ?)', scope, content)
  }
}
