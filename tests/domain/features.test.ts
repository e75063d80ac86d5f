/**
 * docs/features.md and docs/features/*.md name for each row of the specification the tests that show it, by test id.
 * A test id is `@area-number` at the end of the title of a test or a group of tests: `test('pays twice @area-number', …)`.
 * Files whose tests have no titles, such as a bench, carry it in a comment: `Test id: @area-number`. An id never changes;
 * docs/contributing.md says how a new test gets one.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const find = (...patterns: string[]) => globSync(patterns, { cwd: root, exclude: (path) => path === 'node_modules' })
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const testFiles = find(
  'tests/**/*.{test,spec}.ts',
  'tests/bench/*.ts',
  'tests/long/*.ts',
  'tests/run/*.ts',
  'contracts/test/**/*.sol',
)
const featurePages = find('docs/features{.md,/*.md}').sort()
const allPages = find('README.md', 'docs/**/*.md').sort()

type TestId = { id: string; file: string }

/** Ids at the end of a string that is the first argument of a call, and in comments of the form "Test id: @…". */
function idsIn(source: string): string[] {
  const titles = [...source.matchAll(/(['"`])(?:(?!\1)[^\\\n]|\\.)* @([a-z][a-z0-9-]*-\d+)\1/g)]
  const inTitles = titles.filter(({ index }) => /\(\s*$/.test(source.slice(0, index)))
  return [
    ...inTitles.map((match) => match[2]!),
    ...[...source.matchAll(/Test id: @([a-z][a-z0-9-]*-\d+)/g)].map((match) => match[1]!),
  ]
}

const testIds: TestId[] = testFiles.flatMap((file) => idsIn(read(file)).map((id) => ({ id, file })))
const known = new Set(testIds.map(({ id }) => id))

const referencesIn = (text: string) => [...text.matchAll(/`@([a-z][a-z0-9-]*-\d+)`/g)].map((match) => match[1]!)

/** Rows of tables whose last column is "Test": the first cell, the last, and the whole line. */
function rowsOf(page: string): { row: string; cell: string; line: string }[] {
  let inTable = false
  return page.split('\n').flatMap((line) => {
    if (!line.startsWith('|')) {
      inTable = false
      return []
    }
    const cells = line.replaceAll('\\|', '¦').split('|').slice(1, -1)
    const cell = cells.at(-1)!
    if (/^\s*(Test|Shown by)\s*$/.test(cell)) inTable = true
    else if (inTable && !/^[\s-:]+$/.test(cell)) return [{ row: cells[0]!.trim(), cell, line }]
    return []
  })
}

const needsNoTest = (line: string) => /record \d|product: |not built|not now/i.test(line)

test('the feature tables and the test ids are found', () => {
  expect(featurePages).toContain('docs/features.md')
  expect(rowsOf(read('docs/features.md')).length).toBeGreaterThan(100)
  expect(testIds.length).toBeGreaterThan(400)
})

test('an id is found in a title of any form', () => {
  const ids = (source: string) => idsIn(source.replace('#', '@sample-1'))
  expect(ids("test('pays twice #', async () => {")).toEqual(['sample-1'])
  expect(ids('test(`pays often #`, {')).toEqual(['sample-1'])
  expect(ids("test.describe('paying #', () => {")).toEqual(['sample-1'])
  expect(ids("test.each([\n  ['a', f(1)],\n])(\n  '$name’s #', (text) => {")).toEqual(['sample-1'])
  expect(ids("const title = 'pays twice #'")).toEqual([])
  expect(ids("test('pays # twice', async () => {")).toEqual([])
})

test('each id belongs to one test', () => {
  const repeated = [...Map.groupBy(testIds, ({ id }) => id).values()].filter((found) => found.length > 1)
  expect(repeated.map((found) => `@${found[0]!.id}: ${found.map(({ file }) => file).join(', ')}`)).toEqual([])
})

test('no test is skipped', () => {
  const skips = /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|todo|fixme|only)\b/
  expect(testFiles.filter((file) => skips.test(read(file)))).toEqual([])
})

test.each(allPages)('%s names only ids that exist', (path) => {
  expect(referencesIn(read(path)).filter((id) => !known.has(id))).toEqual([])
})

describe.each(featurePages)('%s', (path) => {
  test('has a test id or a record in every row', () => {
    const without = rowsOf(read(path)).filter(({ cell, line }) => !referencesIn(cell).length && !needsNoTest(line))
    expect(without.map(({ row }) => row)).toEqual([])
  })
})

test('no two threats have the same number', () => {
  const numbers = rowsOf(read('docs/threats.md')).map(({ row }) => row)
  expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([])
})
