import { shown } from './problems.ts'
import { type RunColumn, runColumns } from './row.ts'
import { type Delimiter, delimiters, type FileRecord, isBlank, splitRecords } from './table.ts'

/** Which column of a file is which, from its header. */

const aliases: Record<string, RunColumn> = {
  recipient: 'to',
  email: 'to',
  phone: 'to',
  wallet: 'to',
  address: 'to',
  usdc: 'amount',
  ...Object.fromEntries(runColumns.map((name) => [name, name])),
}
const plainName = (text: string) =>
  text
    .slice(0, 100)
    .replace(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase()

/** Null if no column has this name. */
export const columnOf = (text: string): RunColumn | null => {
  const name = plainName(text)
  return Object.hasOwn(aliases, name) ? aliases[name]! : null
}

const names = runColumns.join(', ')
/** Of a program's row, whose fields need no order. */
export const unknownColumn = (text: string): string => `Unknown column ${shown(text)}. The columns are ${names}.`

/** `columns`: what each cell of a row is. `width`: how many cells it has, with those at its end that have no name. */
export type Header = { delimiter: Delimiter; columns: RunColumn[]; width: number; line: number }
type ReadHeader = { ok: true; header: Header } | { ok: false; line: number; message: string }

/** Reads the first record that is not empty. `text` has no byte order mark. */
export function readHeader(text: string): ReadHeader | null {
  const read = delimiters.map((delimiter) => ({ delimiter, first: firstRecord(text, delimiter) }))
  const split = read.flatMap(({ delimiter, first }) => (first && 'cells' in first ? [{ delimiter, first }] : []))
  const broken = read.find(({ first }) => first && 'problem' in first)?.first
  if (split.length === 0) return broken && 'problem' in broken ? { ok: false, ...openQuote(broken.line) } : null
  const known = (cells: string[]) => cells.filter((cell) => columnOf(cell) !== null).length
  const { delimiter, first } = split.reduce((best, each) => {
    const more = known(each.first.cells) - known(best.first.cells)
    return more > 0 || (more === 0 && each.first.cells.length > best.first.cells.length) ? each : best
  })
  const cells = withoutEmptyEnd(first.cells)
  const line = first.line
  const problem = headerProblem(cells)
  return problem === null
    ? {
        ok: true,
        header: { delimiter, columns: cells.map((cell) => columnOf(cell)!), width: first.cells.length, line },
      }
    : { ok: false, line, message: problem }
}

export const openQuote = (line: number) => ({
  line,
  message: 'A quote (") is opened here and not closed. Write "" for a quote within a cell.',
})

type First = FileRecord | { line: number; problem: string } | null
/** The first record that is not empty. */
function firstRecord(text: string, delimiter: Delimiter): First {
  const table = splitRecords(text, delimiter, (record) => !isBlank(record))
  if (!table.ok) return table
  const last = table.records.at(-1)
  return last && !isBlank(last) ? last : null
}

/** Spreadsheets may write empty columns behind the others. */
function withoutEmptyEnd(cells: string[]): string[] {
  let end = cells.length
  while (end > 0 && cells[end - 1]!.trim() === '') end -= 1
  return cells.slice(0, end)
}

function headerProblem(cells: string[]): string | null {
  const columns = cells.map(columnOf)
  if (columns.every((column) => column === null)) return `The first line has to name the columns: ${names}.`
  const unknown = columns.indexOf(null)
  if (unknown !== -1)
    return cells[unknown]!.trim() === '' ? `Column ${unknown + 1} has no name.` : unknownColumn(cells[unknown]!.trim())
  for (const column of runColumns) {
    const [one, other] = cells.filter((_, at) => columns[at] === column).map((cell) => shown(cell.trim()))
    if (other !== undefined) return `The columns ${one} and ${other} both mean ${shown(column)}. Keep one of them.`
  }
  const missing = (['to', 'amount'] as const).find((column) => !columns.includes(column))
  return missing === undefined ? null : `There is no column ${shown(missing)}.`
}
