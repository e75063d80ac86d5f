/** D1 in plain Node: its interface over SQLite in memory, with the schema of migrations/. */
import { readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

const schema = readFileSync('migrations/0001_schema.sql', 'utf8')

export function createMemoryD1(): { d1: D1Database; close: () => void } {
  const db = new DatabaseSync(':memory:')
  db.exec(schema)
  const prepare = (query: string, values: SQLInputValue[] = []) => {
    const statement = db.prepare(query)
    const all = async () => ({ success: true, results: statement.all(...values), meta: {} })
    return {
      bind: (...bound: SQLInputValue[]) => prepare(query, bound),
      all,
      run: all,
      first: async () => statement.get(...values) ?? null,
      raw: async () => {
        statement.setReturnArrays(true)
        return statement.all(...values)
      },
    }
  }
  const batch = (statements: ReturnType<typeof prepare>[]) => Promise.all(statements.map((each) => each.all()))
  return { d1: { prepare, batch } as unknown as D1Database, close: () => db.close() }
}
