/** The exported log, and the program in docs/ that verifies it. */
import { spawnSync } from 'node:child_process'
import { hash as digest } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operator, person } from '#domain/actor.ts'
import type { LogEnd } from '#schemas/change.ts'
import type { Person } from '../../worker/appEnv.ts'
import { exportLog } from '../../worker/services/changes.ts'
import { actingAs } from '../../worker/treasury/core/acting.ts'
import { audit } from '../../worker/treasury/ledger/audit.ts'
import { logAfter } from '../../worker/treasury/reports/review/log.ts'
import { cases } from '../support/cases.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'

const program = join(import.meta.dirname, '../../docs/verify-log.mjs')
type Verify = (lines: readonly string[], earlier?: string) => Promise<string | null>
const { problemOf } = (await import(pathToFileURL(program).href)) as { problemOf: Verify }

/** Texts that a program may read in another way than it was written. */
const memos = ['', 'Grüße, "Ada"', 'two\nlines', 'a\u2028b', '\ud800', '{"end":{}}', '__proto__']
const whos = [person('usr_test'), person('usr_grace'), { by: 'agt_1', via: 'mcp' }, operator] as const

/** A treasury whose log has so many rows, the last of which follow a restore that lost seven. */
function withLog(rows: number): MemoryTreasury {
  const treasury = createMemoryTreasury(1n, 1n)
  const { store, clock } = treasury
  store.transaction(() => {
    for (let i = store.count('audit'); i < rows; i++) {
      clock.now += 1_000
      const restored = i === rows - 3
      actingAs(whos[i % whos.length]!, () =>
        restored
          ? audit(store, clock.now, 'account.restored', 'account', { restore: 'res_1' }, 7)
          : audit(store, clock.now, 'payment.accepted', `pay_${i}`, { memo: memos[i % memos.length], n: i }),
      )
    }
  })
  return treasury
}
const fileOf = async ({ context }: MemoryTreasury, after = 0) => {
  const review = () => ({ log: async (last: number) => logAfter(context, last) })
  return (await exportLog({ treasury: { review } } as unknown as Person, after)).text()
}
const linesOf = (file: string) => file.trimEnd().split('\n')
const endOf = (file: string) => (JSON.parse(linesOf(file).at(-1)!) as LogEnd).end
type Row = { seq: number; data: string; previous: string; hash: string; by: string; via: string | null }
const rowOf = (line: string) => JSON.parse(line) as Row

/** Runs the program as its reader would. */
function run(file: string, ...heads: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-log-'))
  writeFileSync(join(folder, 'log.jsonl'), file)
  const { status, stdout } = spawnSync(process.execPath, [program, join(folder, 'log.jsonl'), ...heads], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return [status, stdout.trim()]
}

test('the log has each row with who acted and through what, and its last line their number and the newest hash @exports-1', async () => {
  const treasury = withLog(40)
  const file = await fileOf(treasury)
  const [rows, stored] = [
    linesOf(file).slice(0, -1).map(rowOf),
    treasury.store.all('SELECT seq, at, event, ref, data, "by", via, previous, hash FROM audit ORDER BY seq'),
  ]
  expect(rows).toEqual(stored)
  expect(rows.slice(-4).map(({ by, via }) => [by, via])).toEqual(
    [36, 37, 38, 39].map((i) => [whos[i % 4]!.by, whos[i % 4]!.via]),
  )
  expect(endOf(file)).toEqual({ rows: 40, head: rows.at(-1)!.hash, next: null })
  expect(run(file)).toEqual([
    0,
    'Each row follows the one before it, and none was changed, removed, inserted or cut off.',
  ])
  expect(run(`${file}\n`)[0], 'an empty line more').toBe(1)
  treasury.close()
})

const sixty = withLog(60)
const lines = linesOf(await fileOf(sixty))
sixty.close()

describe('a damaged log @exports-2', () => {
  const row = fc.nat({ max: lines.length - 2 })
  const byte = fc.nat()
  const damages = fc.oneof(
    // A character of a row, or of the last line, is another one, missing, or twice there.
    fc.tuple(fc.nat({ max: lines.length - 1 }), byte, fc.constantFrom('', 'x', '0', ' ')).map(([i, at, by]) => {
      const line = lines[i]!
      return lines.with(i, line.slice(0, at % line.length) + by + line.slice((at % line.length) + 1))
    }),
    // Whoever changes a row may compute its own hash again.
    row.map((i) => lines.with(i, rehashed({ ...rowOf(lines[i]!), data: '{"amount":"1"}' }))),
    row.map((i) => lines.toSpliced(i, 1)),
    fc.tuple(row, row).map(([i, from]) => lines.toSpliced(i, 0, lines[from]!)),
    row.map((i) => {
      const { seq, hash } = rowOf(lines[i]!)
      return lines.toSpliced(i + 1, 0, rehashed({ ...rowOf(lines[i]!), seq: seq + 1, previous: hash }))
    }),
    fc.tuple(row, row).map(([i, j]) => lines.with(i, lines[j]!).with(j, lines[i]!)),
    // Cut at a line, and within one.
    row.map((i) => lines.slice(0, i + 1)),
    fc.tuple(row, byte).map(([i, at]) => [...lines.slice(0, i), lines[i]!.slice(0, at % lines[i]!.length)]),
    // Rows before the end are cut out.
    row.map((i) => [...lines.slice(0, i), lines.at(-1)!]),
  )
  function rehashed(changed: Row): string {
    const { seq, at, event, ref, data, by, via, previous } = changed as Row & Record<string, unknown>
    const hash = digest('sha256', JSON.stringify([previous, seq, at, event, ref, data, by, via]))
    return JSON.stringify({ seq, at, event, ref, data, by, via, previous, hash })
  }

  test('is found: a row that was changed, removed, inserted, moved or cut', async () => {
    expect(await problemOf(lines)).toBeNull()
    await fc.assert(
      fc.asyncProperty(damages, async (damaged) => {
        fc.pre(damaged.join('\n') !== lines.join('\n'))
        expect(await problemOf(damaged)).toMatch(/^Line \d+: /)
      }),
      { numRuns: cases(1_000) },
    )
  })

  test('is not found if all of it was written anew, except by the head of an earlier export', async () => {
    const earlier = rowOf(lines[20]!).hash
    let previous = '0'.repeat(64)
    const forged = lines.slice(0, -1).map((line, i) => {
      const written = rehashed({ ...rowOf(line), previous, ...(i === 10 && { data: '{"amount":"1"}' }) })
      previous = rowOf(written).hash
      return written
    })
    forged.push(JSON.stringify({ end: { ...endOf(lines.join('\n')), head: previous } }))
    expect(await problemOf(forged)).toBeNull()
    expect(await problemOf(lines, earlier)).toBeNull()
    expect(await problemOf(forged, earlier)).toMatch(/the earlier head is nowhere above$/)
    expect(run(forged.join('\n'), earlier)[0]).toBe(1)
  })
})

test('100,000 rows are one file in which nothing is found, and the log goes on in the next @exports-3', {
  tags: ['all'],
}, async () => {
  const treasury = withLog(100_000)
  const file = await fileOf(treasury)
  expect(endOf(file)).toMatchObject({ rows: 100_000, next: null })
  expect(await problemOf(linesOf(file))).toBeNull()
  const { store, clock } = treasury
  store.transaction(() => {
    for (let i = 0; i < 3; i++) audit(store, clock.now, 'payment.accepted', `pay_more${i}`, {})
  })
  const first = await fileOf(treasury)
  const { next } = endOf(first)
  const both = [...linesOf(first), ...linesOf(await fileOf(treasury, next!))]
  expect(await problemOf(linesOf(first))).toMatch(/the file was cut after this$/)
  expect(await problemOf(both)).toBeNull()
  expect(both.length).toBe(100_005)
  treasury.close()
})
