/**
 * Kinds of damage that files of payout runs have, one file for each in damage/. Beside it, its `.verdict`: for each row its line and
 * whom it pays what, or the sentence that its author reads.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatUsdc } from '#domain/money.ts'
import { decodeRunFile, type RunFile, readRun } from '#domain/runs/read.ts'
import { writtenRecipient } from '#domain/runs/recipientCell.ts'
import { type RunRow, recipientKey } from '#domain/runs/row.ts'
import { runVerdicts } from '#domain/runs/warnings.ts'

const folder = join(import.meta.dirname, 'damage')
const all = globSync('*', { cwd: folder }).sort()
const files = all.filter((name) => !name.endsWith('.verdict'))

function fileOf(name: string): RunFile | { message: string } {
  const bytes = readFileSync(join(folder, name))
  if (name.endsWith('.json')) return { rows: JSON.parse(bytes.toString()) as unknown[] }
  const decoded = decodeRunFile(bytes)
  return decoded.ok ? { csv: decoded.text } : decoded
}

/** The lines of a `.verdict`. */
function verdictOf(name: string): string[] {
  const file = fileOf(name)
  if ('message' in file) return [`file: ${file.message}`]
  const read = readRun(file)
  if (!read.ok) return [`${read.line ?? 'file'}: ${read.message}`]
  const repeated = repeatedReferences(read.rows.flatMap(({ row }) => row ?? []))
  return read.rows.map(({ line, row, problem }) => {
    const error = problem ?? repeated.get(line)
    return `${line}: ${error ?? `pays ${writtenRecipient(row!.to)} ${formatUsdc(row!.amount)}`}`
  })
}

function repeatedReferences(rows: RunRow[]): Map<number, string> {
  const resolved = rows.map((row) => ({ ...row, recipient: recipientKey(row.to) ?? `contact ${row.line}` }))
  const nothing = { paid: new Set<string>(), lookAlikes: new Map(), samePaid: new Map(), changedBy: new Map() }
  return new Map(
    runVerdicts(resolved, nothing, 0).flatMap((verdicts, at) =>
      verdicts.filter(({ level }) => level === 'error').map(({ text }): [number, string] => [rows[at]!.line, text]),
    ),
  )
}

test('there are at least 40 kinds of damage, each with its verdict', () => {
  expect(files.length).toBeGreaterThanOrEqual(40)
  expect(all.filter((name) => name.endsWith('.verdict'))).toEqual(files.map((name) => `${name}.verdict`).sort())
})

test.each(files)('%s is recognized @runs-1', (name) => {
  const expected = readFileSync(join(folder, `${name}.verdict`), 'utf8')
  expect(`${verdictOf(name).join('\n')}\n`).toBe(expected)
})

test.each(files)('the sentences about %s are short and plain @runs-2', (name) => {
  for (const line of verdictOf(name)) {
    if (!/^\d+: pays /.test(line)) expect(line).toMatch(/^(?:file|\d+): [\p{Lu}“].*\.$/u)
    expect(line.length).toBeLessThan(180)
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  }
})
