import { shown } from './problems.ts'
import { type RunColumn, runColumns } from './row.ts'
import { type Delimiter, delimiters, type FileRecord, splitRecords } from './table.ts'

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
/** More are no table of payments. */
const maxColumns = 50
/** Of a program's row, whose fields need no order. */
export const unknownColumn = (text: string): string => `Unknown column ${shown(text)}. The columns are ${names}.`

/** `columns`: what each cell of a row is. `width`: how many cells it has, with those at its end that have no name. */
export type Header = { delimiter: Delimiter; columns: RunColumn[]; width: number }
type ReadHeader = { ok: true; header: Header } | { ok: false; line: number; message: string }

/** Reads the first record that is not empty; null if there is none. `text` has no byte order mark. */
export function readHeader(text: string): ReadHeader | null {
  const tables = delimiters.map((delimiter) => ({ delimiter, table: splitRecords(text, delimiter, true) }))
  const [found, ...others] = tables.flatMap(({ delimiter, table }) =>
    table.ok ? table.records.map((first) => ({ delimiter, first })) : [],
  )
  if (!found) {
    const [broken] = tables.flatMap(({ table }) => (table.ok ? [] : [table.line]))
    return broken === undefined ? null : { ok: false, ...openQuote(broken) }
  }
  const { delimiter, first } = others.reduce((best, each) => (isBetter(each.first, best.first) ? each : best), found)
  const cells = withoutEmptyEnd(first.cells)
  const problem = headerProblem(cells)
  return problem === null
    ? { ok: true, header: { delimiter, columns: cells.map((cell) => columnOf(cell)!), width: first.cells.length } }
    : { ok: false, line: first.line, message: problem }
}

/** The right delimiter gives more names that are known, or at least more cells. */
function isBetter(a: FileRecord, b: FileRecord): boolean {
  const known = ({ cells }: FileRecord) => cells.slice(0, maxColumns).filter((cell) => columnOf(cell) !== null).length
  return known(a) === known(b) ? a.cells.length > b.cells.length : known(a) > known(b)
}

export const openQuote = (line: number) => ({
  line,
  message: 'A quote (") is opened here and not closed. Write "" for a quote within a cell.',
})

/** Spreadsheets may write empty columns behind the others. */
function withoutEmptyEnd(cells: string[]): string[] {
  let end = cells.length
  while (end > 0 && cells[end - 1]!.trim() === '') end -= 1
  return cells.slice(0, end)
}

function headerProblem(cells: string[]): string | null {
  if (cells.length > maxColumns) return `The first line has more than ${maxColumns} columns. The columns are ${names}.`
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
