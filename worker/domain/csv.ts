/**
 * RFC 4180. In text, everything that a spreadsheet could run as a formula gets an apostrophe. Which character separates cells
 * depends on the reader's country and settings, so text after any usual one is treated like the start of a cell.
 */

/** `decimal`: a number as text, which may be negative. */
export type Cell = string | number | null | { decimal: string }

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

/** What is before a character that makes a formula: blanks, quotes and separators. Begins where they begin, which keeps it linear. */
const beforeFormula = /(?<![\s";|])[\s";|]*(?=[=+\-@＝＋－＠])/g

/** With an apostrophe wherever a cell may start whose first character, after blanks and quotes, makes it a formula. */
function withoutFormulas(text: string): string {
  const plain = text.replace(beforeFormula, (run: string, at: number) => {
    const startsAt = Math.max(run.lastIndexOf(';'), run.lastIndexOf('|')) + 1
    const start = startsAt > 0 || at === 0 ? "'" : ''
    return run.slice(0, startsAt) + start + run.slice(startsAt).replace(/[\t\r\n]/g, "$&'")
  })
  return /^[\t\r\n]/.test(plain) ? `'${plain}` : plain
}

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object') return cell.decimal
  const text = withoutFormulas(cell)
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
