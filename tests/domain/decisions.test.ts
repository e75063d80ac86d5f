import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const docs = join(import.meta.dirname, '../../docs')
const folder = join(docs, 'decisions')
const pages = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort()
const index = readFileSync(join(folder, 'README.md'), 'utf8')
const numberOf = (name: string) => name.slice(0, 3)

/** The numbers in the line "Replaces …" below the title. */
const replacedBy = (path: string) =>
  (/^# .+\n\nReplaces ([\d, and]+)\.$/m.exec(readFileSync(join(docs, path), 'utf8'))?.[1] ?? '').match(/\d{3}/g) ?? []

test('each number since 001 is a page or replaced by one, once', () => {
  const paths = [...pages.map((name) => `decisions/${name}`), 'product.md']
  const given = [...pages.map(numberOf), ...paths.flatMap(replacedBy)].sort()
  expect(given).toEqual(given.map((_, i) => String(i + 1).padStart(3, '0')))
})

test('there are at most 45 pages, and each begins with its number', () => {
  expect(pages.length).toBeLessThanOrEqual(45)
  const titles = pages.map((name) => readFileSync(join(folder, name), 'utf8').split('\n', 1)[0]!)
  expect(titles.filter((title, i) => !title.startsWith(`# ${numberOf(pages[i]!)}: `))).toEqual([])
})

test('the index names each page once', () => {
  const named = [...index.matchAll(/^\| (\d{3}) \| \[.*\]\((.*)\)/gm)].map(([, number, name]) => [number, name])
  expect(named.sort()).toEqual(pages.map((name) => [numberOf(name), name]))
})
