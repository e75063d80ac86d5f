import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const maxLines = 400
const generated = ['worker/chain/abi.ts', 'web/src/routeTree.gen.ts', 'sdk/src/openapi.gen.ts']

test('product files have at most 400 lines, unless they are generated', () => {
  const files = globSync(['worker/**/*.ts', 'web/src/**/*.{ts,tsx}', 'sdk/src/**/*.ts', 'contracts/src/**/*.sol'], {
    cwd: root,
  })
  expect(files.length).toBeGreaterThan(500)
  const long = files
    .filter((path) => !generated.includes(path))
    .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > maxLines)
  expect(long).toEqual([])
})
