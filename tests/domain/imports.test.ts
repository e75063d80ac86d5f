import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { treasuryFolders } from '../../dependency-cruiser.config.ts'
import { importViolations, pairViolations, sourceFolders } from '../../scripts/checkImports.ts'
import { within } from '../support/patience.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'imports-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** The violations in a tree of these files: the rule's name and the files involved. */
async function violationsOf(files: Record<string, string>): Promise<string[]> {
  const tree = {
    'package.json': '{ "imports": { "#domain/*": "./worker/domain/*", "#web/*": "./web/src/*" } }',
    ...files,
  }
  for (const [path, source] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), source)
  }
  const violations = await importViolations(root, [...new Set(Object.keys(files).map((path) => path.split('/')[0]!))])
  return violations.map((violation) => violation.split('\n')[0]!).sort()
}

/** Two files, the first of which imports the second's type. */
const importing = (from: string, specifier: string, to: string) => ({
  [from]: `import type { A } from '${specifier}'\nexport type B = A`,
  [to]: 'export type A = 1',
})

test('the source tree follows the import rules', within(60_000), async () => {
  expect(await importViolations(join(import.meta.dirname, '../..'), sourceFolders)).toEqual([])
})

test('@rooms-1 at most 52 % of all pairs of the Treasury’s folders know each other', async () => {
  expect(await pairViolations(join(import.meta.dirname, '../..'))).toEqual([])

  const file = (folder: string, name: string) => `worker/treasury/${folder}/${name}.ts`
  const everyPair = treasuryFolders.flatMap((later, i) =>
    treasuryFolders
      .slice(0, i)
      .map((earlier, j) => importing(file(later, `to-${j}`), toFolder(later, earlier, 'b'), file(earlier, 'b'))),
  )
  await violationsOf(Object.assign({}, ...everyPair))
  const all = everyPair.length
  expect(await pairViolations(root)).toEqual([expect.stringContaining(`treasury-pairs: ${all} of ${all} pairs`)])
})

test('imports from outer layers into inner ones are allowed', async () => {
  expect(
    await violationsOf({
      'worker/domain/money.ts': 'export type Money = bigint',
      'worker/db/users.ts': "import type { Money } from '#domain/money.ts'\nexport type User = { paid: Money }",
      'worker/services/users.ts': "export type { User } from '../db/users.ts'",
      'worker/routes/users.ts': "export type { User } from '../services/users.ts'",
      'worker/app.ts': "export type { User } from './routes/users.ts'",
    }),
  ).toEqual([])
})

test('a cycle of type imports is refused', async () => {
  const files = {
    'worker/env.ts': "import type { Treasury } from './treasury/treasury.ts'\nexport type Env = { treasury: Treasury }",
    'worker/treasury/treasury.ts': "import type { Env } from '../env.ts'\nexport type Treasury = { env: Env } | null",
  }
  expect(await violationsOf(files)).toEqual([expect.stringMatching(/^no-cycles: /)])
})

// One tree for all cases, because reading a tree takes longer than checking it.
const forbidden = [
  ['domain', 'worker/domain/a.ts', '../chain/b.ts', 'worker/chain/b.ts'],
  ['domain-without-platform', 'worker/domain/c.ts', 'node:fs', 'worker/domain/b.ts'],
  ['schemas', 'worker/schemas/a.ts', '../db/b.ts', 'worker/db/b.ts'],
  ['chain', 'worker/chain/a.ts', '../schemas/b.ts', 'worker/schemas/b.ts'],
  ['keyrings', 'worker/keyrings/a.ts', '../db/b.ts', 'worker/db/b.ts'],
  ['durable', 'worker/durable/a.ts', '#domain/b.ts', 'worker/domain/b.ts'],
  ['db', 'worker/db/a.ts', '../services/b.ts', 'worker/services/b.ts'],
  ['observability', 'worker/observability/a.ts', '../db/b.ts', 'worker/db/b.ts'],
  ['operations-below-use-cases', 'worker/alerts/a.ts', '../services/b.ts', 'worker/services/b.ts'],
  ['adapters-below-use-cases', 'worker/notifications/a.ts', '../services/b.ts', 'worker/services/b.ts'],
  ['objects-below-use-cases', 'worker/claims/a.ts', '../routes/b.ts', 'worker/routes/b.ts'],
  ['objects-through-their-api', 'worker/services/a.ts', '../treasury/b.ts', 'worker/treasury/b.ts'],
  ['objects-know-each-others-api', 'worker/treasury/a.ts', '../relayer/b.ts', 'worker/relayer/b.ts'],
  ['services-below-routes', 'worker/services/c.ts', '../middleware/b.ts', 'worker/middleware/b.ts'],
  ['routes-are-leaves', 'worker/mcp/a.ts', '../routes/b.ts', 'worker/routes/b.ts'],
  ['worker-is-alone', 'worker/env.ts', '../local/b.ts', 'local/b.ts'],
  ['web', 'web/src/lib/a.ts', '../../../worker/chain/rpcChain.ts', 'worker/chain/rpcChain.ts'],
  ['web-routes-are-leaves', 'web/src/components/a.ts', '../routes/b.ts', 'web/src/routes/b.ts'],
  ['web-lib', 'web/src/lib/c.ts', '#web/queries/b.ts', 'web/src/queries/b.ts'],
  ['web-queries', 'web/src/queries/a.ts', '../components/b.ts', 'web/src/components/b.ts'],
  ['web-asks-bursar', 'web/src/lib/d.ts', '../../../worker/chain/rpcClient.ts', 'worker/chain/rpcClient.ts'],
  ['web-recovery', 'web/src/recovery/a.ts', '../queries/b.ts', 'web/src/queries/b.ts'],
  ['sdk', 'sdk/src/a.ts', '../../worker/domain/b.ts', 'worker/domain/b.ts'],
  ['sdk-through-its-entry', 'local/c.ts', '../sdk/src/b.ts', 'sdk/src/b.ts'],
  ['local', 'local/a.ts', '../scripts/b.ts', 'scripts/b.ts'],
  ['scripts', 'scripts/a.ts', '../tests/b.ts', 'tests/b.ts'],
] as const

test('each rule forbids an import', async () => {
  const files = forbidden.map(([, from, specifier, to]) => importing(from, specifier, to))
  const violations = await violationsOf(Object.assign({}, ...files))
  for (const [rule, from] of forbidden)
    expect(violations, rule).toContainEqual(expect.stringContaining(`${rule}: ${from} → `))
})

/** How a file of the folder `from` imports a file of `to`, both below `worker/treasury`. */
const toFolder = (from: string, to: string, name: string) =>
  posix.relative(from, `${to}/${name}.ts`).replace(/^(?!\.)/, './')

test('the Treasury has twelve rooms, each with its place among the layers', () => {
  const rooms = readdirSync('worker/treasury', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(rooms).toHaveLength(12)
  expect(rooms.map(({ name }) => name).sort()).toEqual(treasuryFolders.filter((folder) => !folder.includes('/')).sort())
})

test('a folder of the Treasury does not import a later one', async () => {
  const pairs = treasuryFolders.slice(0, -1).map((earlier, i) => [earlier, treasuryFolders[i + 1]!] as const)
  const tree = async (imported: (earlier: string, later: string) => Record<string, string>) => {
    const files = pairs.map(([earlier, later]) => imported(earlier, later))
    const violations = await violationsOf(Object.assign({}, ...files))
    return violations.filter((violation) => violation.startsWith('treasury-'))
  }
  const file = (folder: string, name: string) => `worker/treasury/${folder}/${name}.ts`
  expect(
    await tree((earlier, later) => importing(file(later, 'c'), toFolder(later, earlier, 'd'), file(earlier, 'd'))),
    'importing an earlier one is allowed',
  ).toEqual([])
  expect(
    await tree((earlier, later) => importing(file(earlier, 'a'), toFolder(earlier, later, 'b'), file(later, 'b'))),
  ).toEqual(pairs.map(([earlier, later]) => `treasury-${earlier}: ${file(earlier, 'a')} → ${file(later, 'b')}`).sort())
})

test('a room imports only the open files of another', async () => {
  expect(
    await violationsOf({
      ...importing('worker/treasury/settlement/a.ts', '../payments/sign.ts', 'worker/treasury/payments/sign.ts'),
      ...importing('worker/treasury/settlement/b.ts', '../payments/secret.ts', 'worker/treasury/payments/secret.ts'),
      ...importing('worker/treasury/payments/payouts/c.ts', '../other.ts', 'worker/treasury/payments/other.ts'),
    }),
  ).toEqual(['room-payments: worker/treasury/settlement/b.ts → worker/treasury/payments/secret.ts'])
})
