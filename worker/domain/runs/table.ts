/**
 * Splits a file into records of cells, as RFC 4180 says, with any of three delimiters and any line break. Each character is
 * looked at a fixed number of times, whatever the file.
 */

export const delimiters = [',', ';', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** `line`: where it begins, from 1. `stray`: there is a quote in the middle of a cell. */
export type FileRecord = { line: number; cells: string[]; stray: boolean }
/** `line` is where a cell with unbalanced quotes begins. */
export type Table = { ok: true; records: FileRecord[] } | { ok: false; line: number; problem: 'open' | 'after' }

/** The records that are not empty; only the first one if `isFirstEnough`. */
export function splitRecords(text: string, delimiter: Delimiter, isFirstEnough = false): Table {
  const plain = new RegExp(`[^${delimiter}\r\n]*`, 'y')
  const blanks = delimiter === '\t' ? / */y : /[ \t]*/y
  const after = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at
    pattern.test(text)
    return pattern.lastIndex
  }
  const records: FileRecord[] = []
  let at = 0
  let line = 1
  let record: FileRecord = { line, cells: [], stray: false }
  for (;;) {
    const start = after(blanks, at)
    if (text[start] === '"') {
      const quoted = quotedCell(text, start + 1)
      if (quoted === null) return { ok: false, line, problem: 'open' }
      at = after(blanks, quoted.end)
      if (after(plain, at) !== at) return { ok: false, line, problem: 'after' }
      record.cells.push(quoted.cell)
      line += quoted.breaks
    } else {
      const cell = text.slice(at, after(plain, start))
      record.stray ||= cell.includes('"')
      record.cells.push(cell)
      at += cell.length
    }
    const next = text[at]
    if (next === delimiter) {
      at += 1
      continue
    }
    if (record.cells.some((cell) => cell.trim() !== '')) records.push(record)
    if (next === undefined || (isFirstEnough && records.length > 0)) return { ok: true, records }
    at += next === '\r' && text[at + 1] === '\n' ? 2 : 1
    line += 1
    record = { line, cells: [], stray: false }
  }
}

/** The cell whose opening quote is before `start`, with line breaks as \n; null if it is not closed. */
function quotedCell(text: string, start: number): { cell: string; end: number; breaks: number } | null {
  const parts: string[] = []
  let from = start
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return null
    const isDouble = text[quote + 1] === '"'
    parts.push(text.slice(from, isDouble ? quote + 1 : quote))
    from = quote + (isDouble ? 2 : 1)
    if (isDouble) continue
    const cell = parts.join('').replace(/\r\n?/g, '\n')
    return { cell, end: from, breaks: cell.split('\n').length - 1 }
  }
}
