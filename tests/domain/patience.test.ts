/** Limits of tests follow the machine (tests/support/patience.ts). */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folders = 'chain,chaos,domain,e2e,gateway,messages,stack,treasury,web,worker'
/** The last argument of a test or of a wait, alone on its line. */
const limit = /\n *([\d_]{5,}(?: [+*] .*)?),\n *\)/g

test('no test has a time limit that is the same on every machine', () => {
  const files = globSync(`tests/{${folders}}/**/*.ts`)
  const fixed = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(limit)].map(([, found]) => `${path}: write patient(${found})`),
  )
  expect(files.length).toBeGreaterThan(300)
  expect(fixed).toEqual([])
})
