import { type Cell, csvLine } from '#domain/csv.ts'
import { nextTurn } from '../durable/turns.ts'

export type Columns<Row> = readonly [header: string, cell: (row: Row) => Cell][]

/** The most rows that an export reads, whether or not its filter keeps them. */
const maxRows = 100_000
/** How long an export waits between parts, so that calls of others on its thread wait for one part at a time. */
const pauseMs = 15

type Parts<Row, Cursor> = {
  name: string
  columns: Columns<Row>
  /** Rows that a part reads at most. */
  partRows: number
  /** Reads a part; the first one with null. `next` is null after the last. */
  read: (cursor: Cursor | null) => Promise<{ rows: Row[]; next: Cursor | null }>
  /** Written after the last part. */
  lastLines?: readonly string[]
}

/** A CSV file that is written while it is read, so that a long history needs little memory. New rows neither repeat nor hide others. */
export async function csvFile<Row, Cursor>({
  name,
  columns,
  partRows,
  read,
  lastLines = [],
}: Parts<Row, Cursor>): Promise<Response> {
  const encoder = new TextEncoder()
  // Read before the reply begins, so that a refusal is still a reply of its own.
  let part: Awaited<ReturnType<typeof read>> | null = await read(null)
  let parts = 0
  const later = async (cursor: Cursor) => {
    await nextTurn(pauseMs)
    return read(cursor)
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // The byte order mark makes spreadsheets read this as UTF-8.
      controller.enqueue(encoder.encode(`\uFEFF${csvLine(columns.map(([header]) => header))}`))
    },
    async pull(controller) {
      while (part !== null) {
        const { rows, next } = part
        parts += 1
        const lines = rows.map((row) => csvLine(columns.map(([, cell]) => cell(row))))
        if (lines.length > 0) controller.enqueue(encoder.encode(lines.join('')))
        part = next !== null && parts * partRows < maxRows ? await later(next) : null
        if (next === null && lastLines.length > 0) controller.enqueue(encoder.encode(lastLines.join('')))
        if (part !== null && lines.length > 0) return // a pull that adds nothing would be the last
      }
      controller.close()
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="${name}"` },
  })
}
