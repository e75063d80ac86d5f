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

export const isBlank = ({ cells }: FileRecord): boolean => cells.every((cell) => cell.trim() === '')

/** The records up to the first for which `isLast` is true. */
export function splitRecords(text: string, delimiter: Delimiter, isLast = (_: FileRecord) => false): Table {
  const plain = new RegExp(`[^${delimiter}\r\n]*`, 'y')
  const blanks = delimiter === '\t' ? / */y : /[ \t]*/y
  const match = (pattern: RegExp, at: number): string => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0] ?? ''
  }
  const records: FileRecord[] = []
  let at = 0
  let line = 1
  let record: FileRecord = { line, cells: [], stray: false }
  for (;;) {
    const start = at + match(blanks, at).length
    if (text[start] === '"') {
      const quoted = quotedCell(text, start + 1)
      if (quoted === null) return { ok: false, line, problem: 'open' }
      record.cells.push(quoted.cell)
      const cellLine = line
      line += quoted.breaks
      at = quoted.end + match(blanks, quoted.end).length
      if (at < text.length && match(plain, at) !== '') return { ok: false, line: cellLine, problem: 'after' }
    } else {
      const cell = match(plain, at)
      record.stray ||= cell.includes('"')
      record.cells.push(cell)
      at += cell.length
    }
    const next = text[at]
    if (next === delimiter) {
      at += 1
      continue
    }
    records.push(record)
    if (next === undefined || isLast(record)) return { ok: true, records }
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
