import { parseUsdc } from '../money.ts'
import { minPayout, minPayoutText } from '../payment.ts'
import type { Read } from '../readers/read.ts'
import { readAmountCell } from './amountCell.ts'
import { columnOf } from './columns.ts'
import { sentence, shown } from './problems.ts'
import { readRecipientCell } from './recipientCell.ts'
import { type Cells, type ReadRow, type RunColumn, type RunRow, runColumns } from './row.ts'
import { readTextCell, textColumns } from './textCells.ts'

/** Reads the cells of one row. Their first problem is the row's. */

export const emptyCells = (): Cells => ({ to: '', amount: '', name: '', memo: '', reference: '' })

export function readRow(line: number, cells: Cells): ReadRow {
  const read = rowIn(line, cells)
  return 'problem' in read
    ? { line, written: cells, row: null, problem: read.problem }
    : { line, written: cells, row: read.value, problem: null }
}

function rowIn(line: number, cells: Cells): Read<RunRow> {
  const wrong = noPaymentProblem(cells)
  if (wrong) return { problem: wrong }
  const to = readRecipientCell(cells.to)
  const amount = readAmountCell(cells.amount)
  const shifted = 'problem' in to || 'problem' in amount ? shiftedProblem(cells) : null
  if (shifted) return { problem: shifted }
  if ('problem' in to) return to
  if ('problem' in amount) return amount
  const isPayout = to.value.type === 'email' || to.value.type === 'phone'
  if (isPayout && amount.value < minPayout) return { problem: sentence(minPayoutText) }
  const texts = { name: null, memo: null, reference: null } as Pick<RunRow, (typeof textColumns)[number]>
  for (const column of textColumns) {
    const text = readTextCell(column, cells[column])
    if ('problem' in text) return text
    texts[column] = text.value
  }
  return { value: { line, to: to.value, amount: amount.value, ...texts } }
}

const totals = /^(?:sub-?|grand )?totals?\b|^(?:zwischen|gesamt)?summe\b|^gesamt\b|^sum\b|^somme\b|^suma\b|^totale\b/i

/** Lines that are no payment at all. */
export function noPaymentProblem(cells: Cells): string | null {
  const isHeader = columnOf(cells.to) === 'to' && columnOf(cells.amount) === 'amount'
  if (isHeader) return 'This line repeats the header. Delete it.'
  const isTotal = totals.test(cells.to.slice(0, 40)) || (cells.to === '' && totals.test(cells.name.slice(0, 40)))
  return isTotal ? 'This line is a total, not a payment. Delete it.' : null
}

const likeRecipient = /^(?:0x[0-9a-f]{40}|\+\d{7,15}|contact:.+|[^\s@]{1,64}@[^\s@]{1,190}\.[^\s@]{1,60})$/i
const isLikeRecipient = (text: string) => text.length <= 320 && likeRecipient.test(text)
const isLikeAmount = (text: string) => parseUsdc(text) !== null

/** Each value looks like that of another column. */
function shiftedProblem(cells: Cells): string | null {
  const others = runColumns.filter((column) => column !== 'to')
  const found = isLikeRecipient(cells.to) ? undefined : others.find((column) => isLikeRecipient(cells[column]))
  if (found) return moved('recipient', found)
  if (isLikeRecipient(cells.to) && isLikeAmount(cells.name) && !isLikeAmount(cells.amount))
    return moved('amount', 'name')
  return null
}

const moved = (what: string, column: RunColumn) => `The cells are shifted: the ${what} is in column ${shown(column)}.`
