import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUsdc, maxAmount, microUsdc } from '#domain/money.ts'
import { cleanText } from '#domain/readers/text.ts'
import { canonicalRows, decodeRunFile, type RunFile, readRun } from '#domain/runs/read.ts'
import { writtenRecipient } from '#domain/runs/recipientCell.ts'
import { maxRunBytes, maxRunRows, type RunRow } from '#domain/runs/row.ts'
import { runTemplate } from '#domain/runs/template.ts'
import { checksumAddress } from '#domain/validators.ts'

const rowsOf = (file: RunFile) => {
  const read = readRun(file)
  if (!read.ok) throw new Error(`line ${read.line}: ${read.message}`)
  return read.rows
}
const problemOf = (file: RunFile) => {
  const read = readRun(file)
  return read.ok ? null : read
}
const paid = (csv: string) =>
  rowsOf({ csv }).map(({ line, row, problem }) =>
    row ? [line, writtenRecipient(row.to), formatUsdc(row.amount), row.name, row.memo, row.reference] : [line, problem],
  )

const ada = ['ada@example.com', '12.5', 'Ada', 'Hosting', 'INV-1']

describe('a file', () => {
  test.each([
    ['commas', 'to,amount,name,memo,reference\nada@example.com,12.50,Ada,Hosting,INV-1\n'],
    ['semicolons', 'to;amount;name;memo;reference\nada@example.com;12.50;Ada;Hosting;INV-1\n'],
    ['tabs', 'to\tamount\tname\tmemo\treference\nada@example.com\t12.50\tAda\tHosting\tINV-1\n'],
    ['a byte order mark', '\ufeffto,amount,name,memo,reference\nada@example.com,12.50,Ada,Hosting,INV-1\n'],
    ['CRLF, and none at its end', 'to,amount,name,memo,reference\r\nada@example.com,12.50,Ada,Hosting,INV-1'],
    ['CR', 'to,amount,name,memo,reference\rada@example.com,12.50,Ada,Hosting,INV-1\r'],
    ['other names, in another order', 'Reference,Memo,USDC,Name,EMAIL \nINV-1,Hosting,12.5,Ada,ada@example.com\n'],
    ['quotes', '"to","amount","name","memo","reference"\n"ada@example.com","12.50","Ada","Hosting","INV-1"\n'],
    [
      'quotes after a blank',
      'to, "amount", name, memo, reference\nada@example.com, "12.50" , "Ada", "Hosting", INV-1\n',
    ],
  ])('with %s has the same row @runs-3', (_, csv) => expect(paid(csv)).toEqual([[2, ...ada]]))

  test('without some columns has none of their texts', () => {
    expect(paid('amount,wallet\n3,0x8ba1f109551bd432803012645ac136ddd64dba72')).toEqual([
      [2, '0x8ba1f109551bD432803012645Ac136ddd64DBA72', '3', null, null, null],
    ])
  })

  test('has quotes, delimiters and line breaks in quoted cells; lines are counted as an editor does @runs-4', () => {
    const csv =
      'to,amount,memo\r\n\r\na@example.com,1,"one\r\ntwo, ""three"""\rb@example.com,x,\nc@example.com,2,"\n"\nd@example.com,3,d'
    expect(paid(csv)).toEqual([
      [3, 'a@example.com', '1', null, 'one\ntwo, "three"', null],
      [5, 'Enter digits with at most 6 decimals, for example 1234.50.'],
      [6, 'c@example.com', '2', null, null, null],
      [8, 'd@example.com', '3', null, 'd', null],
    ])
  })

  test('has at most 1,000 rows and 256 kB @runs-5', () => {
    const rows = (count: number) => `to,amount\n${'ada@example.com,1\n'.repeat(count)}`
    expect(problemOf({ csv: rows(0) })).toEqual({
      ok: false,
      line: null,
      message: 'The file has no rows. Write one for each payment.',
    })
    expect(rowsOf({ csv: rows(1) })).toHaveLength(1)
    expect(rowsOf({ csv: rows(maxRunRows) })).toHaveLength(maxRunRows)
    expect(problemOf({ csv: rows(maxRunRows + 1) })?.message).toMatch(/^The file has 1,001 rows/)
    const list = (count: number) => Array.from({ length: count }, () => ({ to: 'ada@example.com', amount: '1' }))
    expect(problemOf({ rows: list(0) })?.message).toMatch(/^The file has no rows/)
    expect(rowsOf({ rows: list(maxRunRows) })).toHaveLength(maxRunRows)
    expect(problemOf({ rows: list(maxRunRows + 1) })?.message).toMatch(/^The file has 1,001 rows/)

    const start = 'to,amount,memo\nada@example.com,10,'
    const full = `${start}${'é'.repeat((maxRunBytes - start.length) / 2)}`
    expect(Buffer.byteLength(full)).toBe(maxRunBytes)
    expect(paid(full)).toEqual([[2, 'Memo must be at most 100 characters.']])
    expect(problemOf({ csv: `${full}\n` })?.message).toMatch(/^The file is larger than 256 kB/)
    expect(problemOf({ rows: [{ to: 'x'.repeat(maxRunBytes) }] })?.message).toMatch(/^The file is larger/)
  })

  test('to start from is read without a problem', () => {
    expect(paid(runTemplate)).toEqual([
      [2, 'ada@example.com', '12.5', 'Ada Lovelace', 'Design in October', 'INV-1001'],
      [3, '+14155550123', '8', 'Grace Hopper', 'Expenses', 'INV-1002'],
    ])
  })
})

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40, maxLength: 40 })
const recipient = fc.oneof(
  hex.filter((digits) => !/^(0|4200|dead|c0d3)/.test(digits)).map((digits) => checksumAddress(`0x${digits}`)),
  fc.integer({ min: 0, max: 999 }).map((number) => `ada.${number}@example.com`),
  fc.integer({ min: 200, max: 999 }).map((number) => `+1${number}5550123`),
  fc.constantFrom('contact:Ada', 'contact:Zoë Müller'),
)
const amount = fc.bigInt({ min: 100_000n, max: maxAmount }).map((micro) => formatUsdc(microUsdc(micro)))
const unit = fc.oneof(fc.constantFrom(...'ab1 ,;\t"\n.-'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }))
const text = fc.string({ unit, maxLength: 30 }).map((written) =>
  cleanText(written)
    .replace(/^[=+@＝＋＠#]+/, '')
    .trim(),
)
const aRow = fc.record({ to: recipient, amount, name: text, memo: text, reference: text })

/** A cell with a line of as many cells as the header is refused: a quote that is not closed may have swallowed rows. */
const looksLikeRows = (row: Record<string, string>) => Object.values(row).some((cell) => /\n(.*,){4}/.test(cell))

/** As any program writes it: every cell in quotes. */
const csvOf = (rows: Record<string, string>[], lineBreak = '\n') =>
  ['to,amount,name,memo,reference', ...rows.map(lineOf)].join(lineBreak)
const lineOf = (row: Record<string, string>) =>
  Object.values(row)
    .map((cell) => `"${cell.replaceAll('"', '""')}"`)
    .join(',')

describe('no text is read as another', () => {
  /** Decimals of a text, without the reader that is tested. */
  const micro = (written: string) => {
    const [whole, decimals = ''] = written.split('.')
    return BigInt(`${whole}${decimals.padEnd(6, '0')}`)
  }
  function expectAsWritten(row: RunRow, written: { to: string; amount: string }) {
    expect(/^[0-9]+(\.[0-9]{1,6})?$/.test(written.amount)).toBe(true)
    expect(row.amount).toBe(micro(written.amount))
    const to = writtenRecipient(row.to)
    if (row.to.type === 'contact') expect(row.to.name).toBe(cleanText(written.to.slice('contact:'.length)))
    else expect(to.toLowerCase()).toBe(written.to.toLowerCase())
  }

  test('amount or recipient, whatever stands around or within it @runs-6', () => {
    const noise = fc.oneof(
      fc.constantFrom(
        ...' \u00a0\u200b.,0159-+$\'"()<>@\u0661１\u202e\ufeff\u0430…',
        'e3',
        ' USDC',
        'contact:',
        'mailto:',
        '0x',
        '00',
      ),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    )
    const any = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: noise })
    const damaged = (valid: fc.Arbitrary<string>) =>
      fc.tuple(valid, any, any, any, fc.nat(), fc.nat(1)).map(([value, before, within, after, at, cut]) => {
        const place = at % (value.length + 1)
        return `${before}${value.slice(0, place)}${within}${value.slice(place + cut)}${after}`
      })
    let accepted = 0
    fc.assert(
      fc.property(damaged(recipient), damaged(amount), (to, sum) => {
        for (const file of [
          { csv: csvOf([{ to, amount: sum, name: '', memo: '', reference: '' }]) },
          { rows: [{ to, amount: sum }] },
        ]) {
          const read = readRun(file)
          const [row] = read.ok ? read.rows : []
          if (!row?.row) continue
          accepted += 1
          expect(row.written.to).toBe(to.replace(/\r\n?/g, '\n').trim())
          expect(row.written.amount).toBe(sum.trim())
          expectAsWritten(row.row, row.written)
        }
      }),
      { numRuns: 3_000 },
    )
    expect(accepted).toBeGreaterThan(100)
  })

  test('row of a file in which anything was changed, cut or added @runs-7', () => {
    const noise = fc.oneof(fc.constantFrom(...',;\t"\n\r 0.'), fc.string({ maxLength: 2 }))
    let accepted = 0
    fc.assert(
      fc.property(
        fc.array(aRow, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), noise, fc.nat(3)), { maxLength: 4 }),
        (rows, changes) => {
          const csv = changes.reduce((text, [at, added, cut]) => {
            const place = at % (text.length + 1)
            return `${text.slice(0, place)}${added}${text.slice(place + cut)}`
          }, csvOf(rows))
          const read = readRun({ csv })
          for (const { row, written, problem } of read.ok ? read.rows : []) {
            expect(row === null).toBe(problem !== null)
            if (row) expectAsWritten(row, written)
            if (row && changes.length > 0) accepted += 1
          }
        },
      ),
      { numRuns: 2_000 },
    )
    expect(accepted).toBeGreaterThan(100)
  })

  test('row of valid rows, in any form of a file, and all are read', () => {
    fc.assert(
      fc.property(
        fc.array(aRow, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        (rows, lineBreak, hasMark) => {
          fc.pre(!rows.some(looksLikeRows))
          const read = rowsOf({ csv: `${hasMark ? '\ufeff' : ''}${csvOf(rows, lineBreak)}` })
          const listed = rowsOf({ rows })
          expect(read.map(({ written }) => written.to)).toEqual(rows.map(({ to }) => to))
          expect(canonicalRows(listed)).toBe(canonicalRows(read))
          // Texts may have characters that are refused; they never change whom a row pays what.
          for (const [at, { row, problem }] of read.entries())
            if (row) expectAsWritten(row, rows[at]!)
            else expect(problem).toMatch(/^(Name|Memo|Reference|“)/)
        },
      ),
      { numRuns: 500 },
    )
  })
})

test('rows are the same in whatever file, and different if anything is different @runs-8', () => {
  const of = (csv: string) => canonicalRows(rowsOf({ csv }))
  const plain = of('to,amount,memo\nada@example.com,12.50,a\n0x8ba1f109551bD432803012645Ac136ddd64DBA72,1,\n')
  for (const same of [
    '\ufeffMemo;USDC;Recipient\r\n\r\na;12.5;Ada@example.com\r\n;;\r\n;1.0;0x8ba1f109551bd432803012645ac136ddd64dba72',
    'to,amount,name,memo,reference\n"ada@example.com",12.500000,,a,\n0x8BA1F109551BD432803012645AC136DDD64DBA72,1.00,,,\n',
  ])
    expect(of(same)).toBe(plain)
  for (const other of [
    'to,amount,memo\nada@example.com,12.51,a\n0x8ba1f109551bD432803012645Ac136ddd64DBA72,1,\n',
    'to,amount,memo\n0x8ba1f109551bD432803012645Ac136ddd64DBA72,1,\nada@example.com,12.50,a\n',
    'to,amount,name\nada@example.com,12.50,a\n0x8ba1f109551bD432803012645Ac136ddd64DBA72,1,\n',
    'to,amount,memo\nada@example.com,12.50,a\n0x8ba1f109551bD432803012645Ac136ddd64DBA72,1,\nada@example.com,x,\n',
  ])
    expect(of(other)).not.toBe(plain)
})

describe('bytes', () => {
  const csv = 'to,amount,name\nada@example.com,1,Zoë\n'
  const big = (bytes: Uint8Array) => bytes.map((_, at) => bytes[at ^ 1]!)
  test('are decoded as UTF-8 or UTF-16 @runs-9', () => {
    const wide = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'))
    for (const bytes of [Buffer.from(csv), wide(csv), wide(`\ufeff${csv}`), big(wide(csv)), big(wide(`\ufeff${csv}`))])
      expect(decodeRunFile(bytes)).toEqual({ ok: true, text: csv })
  })
  test('that are no text, or too many, are refused @runs-10', () => {
    const message = (bytes: Uint8Array) => {
      const read = decodeRunFile(bytes)
      return read.ok ? null : read.message
    }
    expect(message(new Uint8Array(2 * maxRunBytes + 3))).toMatch(/^The file is larger than 256 kB/)
    expect(message(Buffer.from(csv, 'latin1'))).toBe(
      'Line 2 has characters that are not UTF-8. Save the file as “CSV UTF-8”.',
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const read = decodeRunFile(bytes)
        if (read.ok) readRun({ csv: read.text })
      }),
    )
  })
})
