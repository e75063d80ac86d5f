/**
 * `node leanWorker.ts port stateDir secretsPath`, with the variables as JSON in LEAN_VARS: runs the bundled Worker in
 * workerd, on the same state as `wrangler dev`, but without pages and without wrangler, which takes longer to start. For
 * tests that kill workerd repeatedly: Miniflare restarts it automatically.
 *
 * `historyApart` as a fourth argument runs the History objects in a second workerd, which takes no core from the first.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { withHistoryApart } from './historyApart.ts'
import { workerdOf, yieldCores } from './processTree.ts'
import { readSecrets } from './secrets.ts'

const [port, stateDir, secretsPath, mode] = process.argv.slice(2) as [string, string, string, string?]
const folder = join(import.meta.dirname, '../../.bursar/worker')
const options = JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8'))
const vars = JSON.parse(process.env.LEAN_VARS!)

const worker = {
  ...options,
  name: 'bursar', // part of the path where Durable Objects are stored
  modulesRoot: folder,
  modules: [
    { type: 'ESModule', path: join(folder, 'index.js') },
    ...readdirSync(folder)
      .filter((name) => name.endsWith('.wasm'))
      .map((name) => ({ type: 'CompiledWasm' as const, path: join(folder, name) })),
  ],
  bindings: { ...options.bindings, ...vars, ...readSecrets(secretsPath) },
  host: 'localhost',
  port: Number(port),
  unsafeTriggerHandlers: true, // for the cron
}
const start = async (part: typeof worker) => {
  const server = new Miniflare({
    ...convertV4MiniflareOptions(part),
    resourcePersistencePath: join(stateDir, 'worker/v3'),
  })
  await server.ready
  return server
}
const servers: Miniflare[] = []
if (mode === 'historyApart') {
  const { history, others } = withHistoryApart(worker, join(stateDir, 'registry'))
  servers.push(await start(history))
  for (const pid of workerdOf(process.pid)) yieldCores(pid)
  servers.push(await start(others))
} else servers.push(await start(worker))
process.once('SIGTERM', () => void Promise.all(servers.map((server) => server.dispose())).then(() => process.exit(0)))
