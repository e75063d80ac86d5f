/** The D1 database of a local stack, with its migrations and seed rows. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from 'wrangler'
import { root, runTool } from '../tools/runTool.ts'
import type { LocalSecrets } from './secrets.ts'
import { seedSql } from './seed.ts'
import { offlineEnv } from './workerProcess.ts'

/**
 * Applies the migrations and the seed unless `stateDir` has exactly these already: wrangler takes seconds to find that
 * out. The Worker must not be running. Throws if the state has an older schema or older wallets: until the first
 * deployment, both are changed in place.
 */
export async function ensureDatabase(
  stateDir: string,
  secrets: LocalSecrets,
  say: (line: string) => void,
  seededAt = Date.now(),
): Promise<void> {
  const wanted = `${schemaHash()} ${seedHash(secrets)}`
  const stamp = join(stateDir, 'database.prepared')
  const prepared = existsSync(stamp) ? readFileSync(stamp, 'utf8') : null
  if (prepared === wanted) return
  if (prepared !== null && prepared.split(' ')[0] !== schemaHash())
    throw new Error('This local state is from an older version of Bursar. Delete it: npm run dev -- --reset')
  say('preparing the database …')
  mkdirSync(stateDir, { recursive: true })
  const sqlPath = join(stateDir, 'seed.sql')
  writeFileSync(sqlPath, await seedSql(secrets, seededAt))
  await applyMigrations(stateDir)
  await runTool(['wrangler', 'd1', 'execute', 'bursar', ...local(stateDir), '--yes', '--file', sqlPath], {
    env: offlineEnv(stateDir),
  })
  writeFileSync(stamp, wanted)
}

/**
 * Applies the migrations to the local database of `stateDir`; `config` replaces wrangler.toml. Does the same as `wrangler
 * d1 migrations apply --local`, with the same table, but in one workerd: wrangler starts one per migration, which costs a
 * second of CPU time each.
 */
export async function applyMigrations(stateDir: string, config = join(root, 'wrangler.toml')): Promise<void> {
  const folder = join(root, 'migrations')
  const d1Databases = unstable_getMiniflareWorkerOptions(config).workerOptions.d1Databases as Record<string, string>
  const worker = { name: 'bursar', modules: true, script: 'export default {}', d1Databases }
  const server = new Miniflare({
    ...convertV4MiniflareOptions(worker),
    resourcePersistencePath: join(stateDir, 'worker/v3'),
  })
  try {
    const db = (await server.getD1Database('DB')) as D1Database
    const known = await db.batch<{ name: string }>([
      db.prepare(
        `CREATE TABLE IF NOT EXISTS d1_migrations (
           id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
           applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
      ),
      db.prepare('SELECT name FROM d1_migrations'),
    ])
    const applied = new Set(known[1]!.results.map(({ name }) => name))
    for (const name of readdirSync(folder)
      .sort()
      .filter((each) => !applied.has(each))) {
      const statements = unstable_splitSqlQuery(readFileSync(join(folder, name), 'utf8'))
      await db.batch([
        ...statements.map((statement) => db.prepare(statement)),
        db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
      ])
    }
  } finally {
    await server.dispose()
  }
}

const local = (stateDir: string) => ['--local', '--persist-to', join(stateDir, 'worker')]

/** A hash of the seed and of the secrets that its hashes depend on. */
const seedHash = (secrets: LocalSecrets): string =>
  createHash('sha256')
    .update(secrets.PASSWORD_PEPPER)
    .update(secrets.CODE_PEPPER)
    .update(readFileSync(join(import.meta.dirname, 'seed.ts')))
    .digest('hex')

/** The files that define the tables of D1 and of the objects, and what wallets accept: a state has wallets on its chains. */
const schemaFiles = () => [
  ...readdirSync(join(root, 'migrations'))
    .sort()
    .map((name) => `migrations/${name}`),
  'worker/treasury/core/storage/tables.ts',
  'contracts/src/WalletMessages.sol',
  ...['treasury/core/storage', 'relayer', 'claims', 'webhooks'].map((folder) => `worker/${folder}/migrations.ts`),
]

/** A hash of the statements, without comments and spaces. */
export const schemaHash = (): string => {
  const hash = createHash('sha256')
  for (const path of schemaFiles())
    hash.update(readFileSync(join(root, path), 'utf8').replaceAll(/--.*$|^ *(\/\*)?\*.*$|\s+/gm, ''))
  return hash.digest('hex')
}
