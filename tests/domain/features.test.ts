/**
 * docs/features.md and docs/features/*.md say of each row of the specification which test shows it. Here each of those
 * tests has to exist. A reference is `file › title` in backticks in the last column; `› title` alone is of the file
 * before. A file may be named by its end, or by a word that the page explains ("`clients` is `tests/…`"); `…` in a
 * title stands for anything.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = globSync(['tests/**/*.{test,spec}.ts', 'contracts/test/**/*.t.sol', 'scripts/*.ts', 'tests/bench/*.ts'], {
  cwd: root,
  exclude: (path) => path === 'node_modules',
})
const pages = globSync('docs/features{.md,/*.md}', { cwd: root }).sort()

/** Titles of tests and of their groups; what is filled in at run time is '…'. */
function titlesOf(file: string): string[] {
  const source = read(file)
  if (file.endsWith('.sol')) return [...source.matchAll(/function (\w+)/g)].map(([, name]) => name!)
  // `test('…'`, and whatever a file calls its own kind of test.
  const first =
    /\b(?:(?:test|describe|it|step)(?:\.[\w.]+)?|\w+(?=\((?:'[^'\n]*'|`[^`]*`), (?:async )?\())\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g
  const afterEach = /\)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g
  return [first, afterEach]
    .flatMap((form) => [...source.matchAll(form)])
    .map(([, single, double, template]) => single ?? double ?? template!)
    .map((title) => title.replaceAll(/\$\{[^}]*\}|%[a-z]|\$[a-z]\w*/gi, '…').replaceAll(/\\(.)/g, '$1'))
}

const asPattern = (title: string) =>
  title
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
/** Both may leave something open. */
function fits(wanted: string, title: string): boolean {
  if (new RegExp(`^${asPattern(wanted)}$`, 's').test(title)) return true
  if (new RegExp(`^${asPattern(title)}$`, 's').test(wanted)) return true
  const [start, given] = [wanted.split('…')[0]!, title.split('…')[0]!]
  return wanted.includes('…') && title.includes('…') && (start.startsWith(given) || given.startsWith(start))
}

/** Where a page's names lead: `clients` is `tests/gateway/mcp.test.ts`; `a`, `b` are `tests/worker/{c,d}.test.ts`. */
function namesOf(page: string): Map<string, string> {
  const pairs = [
    ...page.matchAll(/((?:`[\w.-]+`(?:,| and)?\s+)+)(?:is|are)\s+`([\w./-]*)(?:\{([\w,]+)\})?([\w./-]*)`/g),
  ]
  return new Map(
    pairs.flatMap(([, names, before, choices = '', after]) => {
      const paths = choices.split(',').map((choice) => `${before}${choice}${after}`)
      return [...names!.matchAll(/`([^`]+)`/g)].map(([, name], i): [string, string] => [name!, paths[i] ?? paths[0]!])
    }),
  )
}

const namesFile = (text: string) => /\.(test|spec)\.ts$|\.t\.sol$|^(scripts|tests\/bench)\//.test(text)

function findFile(name: string, names: Map<string, string>): string | undefined {
  const path = names.get(name) ?? name
  for (const full of [path, `${path}.test.ts`, `${path}.spec.ts`]) {
    const found = files.find((file) => file === full || file.endsWith(`/${full}`))
    if (found) return found
  }
  return undefined
}

/** What is wrong with the references of a row's last column; null when it has none. */
function problemsOf(cell: string, names: Map<string, string>): string[] | null {
  const problems: string[] = []
  let file: string | undefined
  let count = 0
  for (const [, reference] of cell.matchAll(/`([^`]+)`/g)) {
    const [head, ...rest] = reference!.split('›').map((part) => part.trim())
    const title = rest.at(-1)?.replaceAll(/\s*…\s*/g, '…')
    if (head) {
      if (title === undefined && !namesFile(head) && !findFile(head, names)) continue // code, not a test
      file = findFile(head, names)
      if (!file) problems.push(`there is no test file ${head}`)
    }
    count++
    if (file && title && !titlesOf(file).some((known) => fits(title, known)))
      problems.push(`${file} has no test "${title}"`)
  }
  return count === 0 ? null : problems
}

/** Rows of tables whose last column is "Test": the first cell, and the last. */
function rowsOf(page: string): { row: string; cell: string; whole: string }[] {
  let inTable = false
  return page.split('\n').flatMap((line) => {
    if (!line.startsWith('|')) {
      inTable = false
      return []
    }
    const cells = line.replaceAll('\\|', '¦').split('|').slice(1, -1)
    if (/^\s*(Test|Shown by)\s*$/.test(cells.at(-1)!)) inTable = true
    else if (inTable && !/^[\s-:]+$/.test(cells.at(-1)!))
      return [{ row: cells[0]!.trim(), cell: cells.at(-1)!, whole: line }]
    return []
  })
}

test('the tables are found', () => {
  expect(pages).toContain('docs/features.md')
  expect(rowsOf(read('docs/features.md')).length).toBeGreaterThan(100)
})

test('a title that does not exist, and a file, are noticed', () => {
  const names = new Map([['forms', 'tests/web/forms.test.ts']])
  expect(
    problemsOf(' `forms › a long date, or N/A`, `› a sign-in may return to …`, `› a sign-in … to /x` ', names),
  ).toEqual([])
  expect(problemsOf(' `tests/web/forms.test.ts › a short date` ', names)).toHaveLength(1)
  expect(problemsOf(' `tests/web/nothing.test.ts` ', names)).toHaveLength(1)
  expect(problemsOf(' `useFields` is fine ', names)).toBeNull()
})

describe.each(pages)('%s', (path) => {
  const page = read(path)
  const names = namesOf(page)
  const rows = rowsOf(page)
  test('names tests that exist, in every row', () => {
    const problems = rows.flatMap(({ row, cell, whole }) => {
      const found = problemsOf(cell, names)
      if (found === null)
        return /decision \d|not built|not now/i.test(whole) ? [] : [`${row}: neither a test nor a decision`]
      return found.map((problem) => `${row}: ${problem}`)
    })
    expect(problems).toEqual([])
  })
})
