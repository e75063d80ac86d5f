/** RFC 4180, for spreadsheets: a cell that a spreadsheet would take for a formula starts with an apostrophe. */

export type Cell = string | number | null

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  // Spreadsheets skip leading blanks before they look for a formula.
  const text = /^\s*[=+\-@]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
