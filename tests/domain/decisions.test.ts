import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../docs/decisions')
const records = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort()
const index = readFileSync(join(folder, 'README.md'), 'utf8')
const numberOf = (name: string) => name.slice(0, 3)

test('records are numbered 001, 002, … without gaps', () => {
  expect(records.map(numberOf)).toEqual(records.map((_, i) => String(i + 1).padStart(3, '0')))
})

test('each record begins with its number', () => {
  const titles = records.map((name) => readFileSync(join(folder, name), 'utf8').split('\n', 1)[0]!)
  expect(titles.filter((title, i) => !title.startsWith(`# ${numberOf(records[i]!)}: `))).toEqual([])
})

test('the index names each record once', () => {
  const named = [...index.matchAll(/^\| (\d{3}) \| \[.*\]\((.*)\)/gm)].map(([, number, name]) => [number, name])
  expect(named.sort()).toEqual(records.map((name) => [numberOf(name), name]))
})
