/**
 * Reading a file takes time in proportion to its length. As in worstTexts.test.ts, each text would make a pattern that backtracks,
 * or a loop in a loop, take billions of steps: then the test does not end in time.
 */
import { expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { canonicalRows, decodeRunFile, readRun } from '#domain/runs/read.ts'
import { maxRunBytes, maxRunRows } from '#domain/runs/row.ts'
import { runVerdicts } from '#domain/runs/warnings.ts'

const starts = ['', 'to,amount,memo\nada@example.com,1,', 'to;amount\n"']
const units = [
  ...[
    '"',
    '""',
    '","',
    ',',
    ';',
    '\t',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '"\n"',
    '"\n,',
    '" ',
    ' "',
    '"a',
    ',"',
    '\n\n"',
    ',\n',
  ],
  ...[
    'a',
    '0',
    '1,',
    '1.',
    '(0)',
    '-',
    '@',
    'a@',
    'a.',
    '+',
    '=',
    '<',
    '…',
    "'",
    'contact:',
    'Ã¼',
    '\u200b',
    '\u0661',
    '1-',
    'to,',
  ],
]

test('256 kB of the worst are read in steps that grow with their length @runs-11', () => {
  for (const start of starts)
    for (const unit of units) {
      const csv = start + unit.repeat(Math.floor((maxRunBytes - start.length) / Buffer.byteLength(unit)))
      const read = readRun({ csv })
      if (read.ok) canonicalRows(read.rows)
    }
})

test('so are its bytes, and lists', () => {
  for (const byte of [0x00, 0x22, 0x2c, 0x50, 0x80, 0xff]) decodeRunFile(new Uint8Array(2 * maxRunBytes).fill(byte))
  for (const unit of units) {
    const cell = unit.repeat(Math.floor(maxRunBytes / 10 / Buffer.byteLength(unit)))
    for (const column of ['to', 'amount', 'name', 'memo', 'reference', cell])
      readRun({ rows: [{ to: 'ada@example.com', amount: '1', [column]: cell }] })
  }
})

test('the verdicts about rows that all look alike take no longer per row', () => {
  const nothing = { paid: new Set<string>(), lookAlikes: new Map(), samePaid: new Map(), changedBy: new Map() }
  const rows = Array.from({ length: 100 * maxRunRows }, (_, at) => ({
    line: at + 2,
    recipient: at % 2 === 0 ? `0xabc${'0'.repeat(34)}abc` : `0xabc${String(at).padStart(34, '0')}abc`,
    amount: microUsdc(1n),
    reference: 'same',
  }))
  const verdicts = runVerdicts(rows, nothing, 0)
  expect(verdicts).toHaveLength(rows.length)
})
