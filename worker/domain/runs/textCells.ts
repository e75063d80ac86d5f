import { type NoteName, noteRule } from '../paymentNotes.ts'
import type { Read } from '../readers/read.ts'
import { readText, type TextRule } from '../readers/text.ts'
import { encodingProblem } from './encoding.ts'
import { errorCellProblem, isErrorCell, sentence, shown } from './problems.ts'

/** The texts of a row. They decide nothing, but recipients and accountants read them. */

const rules: Record<'name' | NoteName, TextRule> = {
  name: { label: 'Name', max: 100 },
  memo: noteRule('memo'),
  reference: noteRule('reference'),
}
export type TextColumn = keyof typeof rules
export const textColumns = Object.keys(rules) as TextColumn[]

/** Null if the cell is empty. */
export function readTextCell(column: TextColumn, text: string): Read<string | null> {
  const { label } = rules[column]
  if (text === '') return { value: null }
  if (isErrorCell(text)) return errorCellProblem(text, `the ${column}, or leave it empty`)
  if (/^[=+@＝＋＠]/.test(text))
    return { problem: `${label} ${shown(text)} begins like a formula. Begin it with a letter or a digit.` }
  const broken = encodingProblem(text)
  if (broken) return { problem: `${label}: ${broken}` }
  const read = readText(rules[column], text)
  return 'problem' in read ? { problem: sentence(read.problem) } : { value: read.value || null }
}
