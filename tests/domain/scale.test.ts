import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tables, withTables } from '../bench/scale/model.ts'

test('the tables of docs/scale.md are those of its model @costs-3', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8')
  expect(withTables(document)).toBe(document)
  for (const table of Object.values(tables())) expect(document).toContain(table)
})
