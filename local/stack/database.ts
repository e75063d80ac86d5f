/** The D1 database of a local stack, with its migrations and seed rows. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runTool } from '../tools/runTool.ts'
import type { LocalSecrets } from './secrets.ts'
import { seedSql } from './seed.ts'
import { offlineEnv } from './workerProcess.ts'

/**
 * Applies the migrations and the seed unless `stateDir` has exactly these already: wrangler takes seconds to find that
 * out. The Worker must not be running.
 */
export async function ensureDatabase(
  stateDir: string,
  secrets: LocalSecrets,
  say: (line: string) => void,
): Promise<void> {
  const wanted = versionOf(secrets)
  const stamp = join(stateDir, 'database.prepared')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('preparing the database …')
  mkdirSync(stateDir, { recursive: true })
  const sqlPath = join(stateDir, 'seed.sql')
  writeFileSync(sqlPath, await seedSql(secrets))
  await applyMigrations(stateDir)
  await runTool(['wrangler', 'd1', 'execute', 'bursar', ...local(stateDir), '--yes', '--file', sqlPath], {
    env: offlineEnv(stateDir),
  })
  writeFileSync(stamp, wanted)
}

/** To the local database of `stateDir`; `config` in place of wrangler.toml. */
export async function applyMigrations(stateDir: string, config = 'wrangler.toml'): Promise<void> {
  const command = ['wrangler', 'd1', 'migrations', 'apply', 'bursar', '--config', config]
  await runTool([...command, ...local(stateDir)], { env: offlineEnv(stateDir) })
}

const local = (stateDir: string) => ['--local', '--persist-to', join(stateDir, 'worker')]

/** Changes with the names of the migrations, the seed, and the secrets that the seed's hashes depend on. */
function versionOf(secrets: LocalSecrets): string {
  const hash = createHash('sha256').update(secrets.PASSWORD_PEPPER).update(secrets.CODE_PEPPER)
  hash.update(readFileSync(join(import.meta.dirname, 'seed.ts')))
  for (const name of readdirSync(join(root, 'migrations')).sort()) hash.update(name)
  return hash.digest('hex')
}
