import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cell, csvLine } from '#domain/csv.ts'
import { cellCharacter, formulas, withControls } from '../support/formulas.ts'

const nasty = fc.string({ unit: cellCharacter, maxLength: 12 })
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), nasty)

test('CSV: any text parses back to the same cells, but for apostrophes @statistics-8', () => {
  const bare = (cell: string) => cell.replaceAll("'", '')
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (cells) => {
      const [row, ...others] = opened(csvLine(cells), [','])
      expect(others).toEqual([])
      expect(row!.map(bare)).toEqual(cells.map(bare))
    }),
  )
  expect(csvLine(['=1+1', '@SUM(A1)', '-2', ' +3', 'a,b', 'say "hi"', 'one - two', null, 7, { decimal: '-1.5' }])).toBe(
    `'=1+1,'@SUM(A1),'-2,' +3,"a,b","say ""hi""",one - two,,7,-1.5\r\n`,
  )
})

describe.each([[[',']], [[';']], [['\t']], [['|']], [[',', ';', '\t']]])(
  'a CSV opened with the separators %j',
  (separators) => {
    test('has no cell that starts a formula @csv-1', () => {
      const cell: fc.Arbitrary<Cell> = fc.oneof(text, fc.constantFrom(null, 7, { decimal: '-12.5' }))
      fc.assert(
        fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
          for (const shown of opened(csvLine(['2026-11-20', ...cells]), separators).flat())
            if (!/^-?\d+(\.\d+)?$/.test(shown))
              expect([shown, /^[\s"]*[=+\-@＝＋－＠]/.test(shown)]).toEqual([shown, false])
        }),
        { numRuns: 400 },
      )
    })

    test.each([...formulas, ...withControls])('shows the memo %j as text @csv-2', (memo) => {
      for (const shown of opened(csvLine(['2026-11-20', memo, { decimal: '-5.00' }, 'end']), separators).flat())
        expect([shown, /^[\s"]*[=+@＝＋－＠]|^[\s"]*-(?!5\.00$)/.test(shown)]).toEqual([shown, false])
    })
  },
)

/**
 * The cells as LibreOffice and Excel open them: quotes count where a cell begins with one, whatever comes after the closing
 * quote still belongs to the cell, and a line ends at a line break outside quotes.
 */
function opened(csv: string, separators: string[]): string[][] {
  const rows: string[][] = [[]]
  let at = 0
  const take = () => {
    let cell = ''
    if (csv[at] === '"') {
      for (at += 1; at < csv.length; at += 1) {
        if (csv[at] === '"' && csv[at + 1] === '"') at += 1
        else if (csv[at] === '"') break
        cell += csv[at]
      }
      at += 1
    }
    while (at < csv.length && !separators.includes(csv[at]!) && csv[at] !== '\r' && csv[at] !== '\n') cell += csv[at++]
    return cell
  }
  while (at < csv.length) {
    rows.at(-1)!.push(take())
    if (separators.includes(csv[at]!)) {
      at += 1
      if (at === csv.length) rows.at(-1)!.push('')
    } else {
      at += csv.startsWith('\r\n', at) ? 2 : 1
      if (at < csv.length) rows.push([])
    }
  }
  return rows
}
