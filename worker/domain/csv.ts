/** RFC 4180. A text that a spreadsheet could run as a formula is prefixed with an apostrophe. */

/** `decimal`: a number as text, which may be negative. */
export type Cell = string | number | null | { decimal: string }

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object') return cell.decimal
  if (!/^[\s=+\-@]|[",\r\n]/.test(cell)) return cell
  // Spreadsheets ignore leading blanks before a formula.
  const text = /^\s*[=+\-@]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
