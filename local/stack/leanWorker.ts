/**
 * `node leanWorker.ts port stateDir secretsPath`, with the variables as JSON in LEAN_VARS: runs the bundled Worker in
 * workerd, on the same state as `wrangler dev`, but without pages and without wrangler, which takes longer to start. For
 * tests that kill workerd repeatedly: Miniflare restarts it automatically.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { readSecrets } from './secrets.ts'

const [port, stateDir, secretsPath] = process.argv.slice(2) as [string, string, string]
const folder = join(import.meta.dirname, '../../.bursar/worker')
const options = JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8'))
const vars = JSON.parse(process.env.LEAN_VARS!)

const server = new Miniflare({
  ...convertV4MiniflareOptions({
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
  }),
  resourcePersistencePath: join(stateDir, 'worker/v3'),
})
await server.ready
process.once('SIGTERM', () => void server.dispose().then(() => process.exit(0)))
