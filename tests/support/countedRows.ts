/** What work on an object's tables reads: SQLite in workerd counts the rows, and says how it finds them. */

type Cost = {
  /** Of all statements. */
  all: number
  /** Of the statement that reads most. */
  most: number
  statements: string[]
}

export async function counted<T>(
  { sql }: DurableObjectStorage,
  work: () => T | Promise<T>,
): Promise<Cost & { result: T }> {
  const { exec } = sql
  const read: { query: string; cursor: SqlStorageCursor<Record<string, SqlStorageValue>> }[] = []
  const counting = (...input: Parameters<typeof exec>) => {
    const cursor = exec.apply(sql, input)
    read.push({ query: input[0], cursor })
    return cursor
  }
  sql.exec = counting as typeof exec
  try {
    const result = await work()
    const rows = read.map(({ cursor }) => cursor.rowsRead)
    const statements = [...new Set(read.map(({ query }) => query))]
    return { result, all: rows.reduce((sum, each) => sum + each, 0), most: Math.max(0, ...rows), statements }
  } finally {
    Reflect.deleteProperty(sql, 'exec')
  }
}

/** The steps of a statement that read a whole table, unless it takes the first of an order. Parameters are null. */
export function scansOf({ sql }: DurableObjectStorage, query: string): string[] {
  const parameters = Array(countParameters(query)).fill(null)
  const plan = sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...parameters).toArray()
  const isLimited = /\bLIMIT\b/i.test(query)
  const isFiltered = /\bWHERE\b/i.test(query)
  return plan
    .map(({ detail }) => detail)
    .filter(
      (detail) =>
        detail.startsWith('SCAN ') && !(isLimited && (!isFiltered || / USING (COVERING )?INDEX /.test(detail))),
    )
}

function countParameters(query: string): number {
  const numbered = [...query.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number))
  return numbered.length > 0 ? Math.max(...numbered) : [...query.matchAll(/\?/g)].length
}
