/** The TypeScript SDK passes sdk/vectors.json. sdk/python/tests/test_vectors.py runs the same with the Python SDK. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failureOf, loadSdk } from '../support/vectorRunner.ts'
import { readVectors } from '../support/vectors.ts'

const vectors = readVectors()
const sdk = await loadSdk()

test('there are at least 60 cases, each with its own name @vectors-2', () => {
  expect(vectors.cases.length).toBeGreaterThanOrEqual(60)
  expect(new Set(vectors.cases.map(({ name }) => name)).size).toBe(vectors.cases.length)
})

const code = (path: string) => readFileSync(join(import.meta.dirname, '../../sdk', path), 'utf8').split('\n')

test('each case names a line of each SDK, which is there once; `npm run test:long vector-lines` removes it @vectors-4', () => {
  for (const { name, lines } of vectors.cases)
    for (const [folder, named] of [
      ['src', lines?.typescript],
      ['python/src', lines?.python],
    ]) {
      const [, file, line] = /^([\w/.]+): (.*)$/.exec(named ?? '') ?? []
      expect(file, name).toBeDefined()
      expect(
        code(`${folder}/${file}`).filter((each) => each.trim() === line),
        `${name}: ${named}`,
      ).toHaveLength(1)
    }
})

describe('the TypeScript SDK passes @vectors-3', () => {
  test.each(vectors.cases.map((each) => [each.name, each] as const))('%s', async (_, vector) => {
    expect(await failureOf(vectors, vector, sdk)).toBeNull()
  })
})
