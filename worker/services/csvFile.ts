import { type Cell, csvLine } from '#domain/csv.ts'
import { nextTurn } from '../durable/turns.ts'

export type Columns<Row> = readonly [header: string, cell: (row: Row) => Cell][]

/** The most rows that an export reads, whether or not its filter keeps them. */
export const exportedRows = 100_000
/** How long an export waits between parts, so that calls of others on its thread wait for one part at a time. */
export const pauseMs = 15

/** `partRows`: rows that a part reads at most. `read` reads a part; the first one with null. `next` is null after the last. */
type Parts<Part, Cursor> = {
  name: string
  partRows: number
  read: (cursor: Cursor | null) => Promise<Part & { next: Cursor | null }>
}

/** A CSV file. `lastLines` are written after the last part. */
export const csvFile = <Row, Cursor>({
  columns,
  lastLines = [],
  read,
  ...parts
}: Parts<{ rows: Row[] }, Cursor> & { columns: Columns<Row>; lastLines?: readonly string[] }): Promise<Response> =>
  partedFile({
    ...parts,
    type: csvType,
    // The byte order mark makes spreadsheets read this as UTF-8.
    start: `\uFEFF${csvLine(columns.map(([header]) => header))}`,
    read: async (cursor: Cursor | null) => {
      const { rows, next } = await read(cursor)
      return { text: rows.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join(''), next }
    },
    end: (next) => (next === null ? lastLines.join('') : ''),
  })

export const csvType = 'text/csv; charset=utf-8'

type PartedFile<Cursor> = Parts<{ text: string }, Cursor> & {
  type: string
  start: string
  /** What follows the last part that was read. `next`: where it would go on, if it has as many rows as it may. */
  end: (next: Cursor | null) => string
}

/** A file that is written while it is read, so that a long history needs little memory. New rows neither repeat nor hide others. */
export async function partedFile<Cursor>(file: PartedFile<Cursor>): Promise<Response> {
  const { partRows, start, read, end } = file
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
      if (start) controller.enqueue(encoder.encode(start))
    },
    async pull(controller) {
      const write = (text: string) => {
        if (text) controller.enqueue(encoder.encode(text))
      }
      while (part !== null) {
        const { text, next } = part
        parts += 1
        write(text)
        part = next !== null && parts * partRows < exportedRows ? await later(next) : null
        if (part === null) write(end(next))
        if (part !== null && text) return // a pull that adds nothing would be the last
      }
      controller.close()
    },
  })
  return fileReply(body, file)
}

export const fileReply = (body: BodyInit, { name, type }: { name: string; type: string }): Response =>
  new Response(body, { headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` } })
