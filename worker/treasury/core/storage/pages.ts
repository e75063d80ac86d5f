import { nextTurn } from '../../../durable/turns.ts'
import type { Store } from './store.ts'

/** Rows that one query of a longer work reads. */
export const pageRows = 1_000

/** All rows of a table in the order in which they were inserted, a page at a time. Other calls have their turn in between. */
export async function* pagesOf<Row extends Record<string, string | number | null>>(
  store: Store,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Row[]> {
  for (let after = 0; ; ) {
    const rows = store.all<Row & { row_number: number }>(
      `SELECT rowid AS row_number, ${columns} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`,
      after,
    )
    yield rows
    if (rows.length < pageRows) return
    after = rows.at(-1)!.row_number
    await nextTurn()
  }
}
