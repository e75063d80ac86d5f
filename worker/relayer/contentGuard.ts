import type { RelayJob } from './api.ts'

/** The content first accepted under each scope: two contents of one scope would be a double payment. */
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

  /** Keeps the content at least until the deadline (unix seconds). For a known scope only the deadline can change. */
  add({ guard, deadline }: Required<Pick<RelayJob, 'guard' | 'deadline'>>): void {
    this.#sql.exec(
      `INSERT INTO guard (scope, content, max_deadline) VALUES (?, ?, ?)
       ON CONFLICT (scope) DO UPDATE SET max_deadline = max(max_deadline, excluded.max_deadline)`,
      guard.scope,
      guard.content,
      deadline,
    )
  }
}
