import { formatUsdc, type MicroUsdc, maxAmount, parseUsdc } from '../money.ts'
import { readAmount } from '../readers/amount.ts'
import type { Read } from '../readers/read.ts'
import {
  errorCellProblem,
  hasHidden,
  isErrorCell,
  scientific,
  sentence,
  shown,
  withoutHidden,
  write,
} from './problems.ts'

/**
 * The amount of a row: plain digits with a point, so that a file means the same in every country and after every spreadsheet.
 * Everything else is a problem, which says what to write if only one amount can be meant.
 */

const example = 'Write digits such as 1234.56.'
const maxLength = 60

const months =
  'jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|fevr|mars|avr|juin|juil|août|aout|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott'
const named = String.raw`(?:${months})\p{L}{0,7}\.?`
const dates = [
  new RegExp(String.raw`^\d{1,4}[-. /]{1,2}${named}(?:[-. /]{1,2}\d{2,4})?$`, 'iu'),
  new RegExp(String.raw`^${named}[-. /]{1,2}\d{1,4}(?:,? ?\d{2,4})?$`, 'iu'),
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4}))(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?$/,
  /^\d{1,2}\/\d{1,2}$/,
]

/** `text` has no blanks at its ends. */
export function readAmountCell(text: string): Read<MicroUsdc> {
  if (text === '') return { problem: 'The amount is missing.' }
  if (text.length > maxLength) return { problem: `The amount is too long. ${example}` }
  const exact = parseUsdc(text)
  if (exact === null) return { problem: unusualProblem(text) }
  if (/^0[0-9]/.test(text)) return write(formatUsdc(exact), 'The amount begins with a 0.')
  return withinLimits(exact)
}

function withinLimits(amount: MicroUsdc): Read<MicroUsdc> {
  if (amount === 0n) return { problem: 'The amount must be more than 0.' }
  return amount > maxAmount ? { problem: 'The amount must be at most 1 billion USDC.' } : { value: amount }
}

/** Why a text that is not plain digits is refused. */
function unusualProblem(text: string): string {
  const is = (what: string) => `${shown(text)} ${what}`
  if (isErrorCell(text)) return errorCellProblem(text, 'the amount').problem
  if (/^(?:true|false|wahr|falsch|vrai|faux)$/i.test(text)) return is(`is not an amount. ${example}`)
  if (dates.some((date) => date.test(text)))
    return is('is a date: the spreadsheet has changed the amount. Format the column as text and write it again.')
  if (scientific.test(text)) return is('may have been rounded by the spreadsheet. Write all digits.')
  if (/^[=@＝＠]|^[+＋]\D/.test(text)) return is('is a formula. Write its result.')
  if (/^[-−–]\s*\S*\d|^\(.*\d.*\)$|\d\s*[-−]$/.test(text)) return 'The amount must not be negative.'
  if (/^\d+[.,]\d{7,}$/.test(text)) return 'USDC has 6 decimals. Write at most 6.'
  const hint = hasHidden(text) ? 'The amount has an invisible character.' : ''
  const read = readAmount(withoutHidden(text))
  if ('problem' in read) return `${hint}${hint && ' '}${sentence(read.problem)}`
  const limited = withinLimits(read.value)
  return 'problem' in limited ? limited.problem : write(formatUsdc(read.value), hint).problem
}
