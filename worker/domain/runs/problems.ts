/** What the problems of cells have in common. */

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
export const hasHidden = (text: string): boolean => text.search(hidden) !== -1
export const withoutHidden = (text: string): string => text.replace(hidden, '')

const shownMax = 40
/** The text of a cell in a sentence: short, and with a dot for each character that can't be seen. */
export function shown(text: string): string {
  const start = [...text.slice(0, 2 * shownMax)].slice(0, shownMax).join('')
  return `“${start.replace(hidden, '·')}${start.length < text.length ? '…' : ''}”`
}

/** Problems of other readers are for forms, where some end without a period. */
export const sentence = (problem: string): string => (/[.!?]$/.test(problem) ? problem : `${problem}.`)

/** For a cell that is not written exactly as it has to be: what to write, if only one thing can be meant. */
export const write = (text: string, why = ''): { problem: string } => ({
  problem: `${why}${why && ' '}Write ${text}.`,
})

/** Errors that spreadsheets leave in a cell. */
const errorCell = /^#(?:REF!|N\/A|N\/V|NV|VALUE!|WERT!|NAME\?|DIV\/0!|NUM!|ZAHL!|NULL!|BEZUG!|SPILL!|CALC!|#+)$/i
export const isErrorCell = (text: string): boolean => text.length < 20 && errorCell.test(text)
/** `what`: 'the amount'. */
export const errorCellProblem = (text: string, what: string): { problem: string } => ({
  problem: `${shown(text)} is an error of the spreadsheet. Write ${what}.`,
})

/** A number that a spreadsheet shows with an exponent, and may have rounded. */
export const scientific = /^[+-]?\d{1,20}(?:[.,]\d{1,40})?e[+-]?(\d{1,4})$/i
