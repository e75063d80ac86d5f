/**
 * `node mixedWorker.ts port stateDir secretsPath front objects`, with the variables as JSON in LEAN_VARS: the Worker that was
 * bundled in the folder `front`, calling the Durable Objects of the one in the folder `objects`, as while Cloudflare replaces
 * one version by another. The two may be the same. A class that `objects` lacks is that of `front`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { readSecrets } from '../../../local/stack/secrets.ts'

const [port, stateDir, secretsPath, front, objects] = process.argv.slice(2) as [string, string, string, string, string]
const bindings = { ...JSON.parse(process.env.LEAN_VARS!), ...readSecrets(secretsPath) }

/** `name` is part of the path at which Durable Objects are stored. */
function worker(name: string, root: string) {
  const folder = join(root, '.bursar/worker')
  const options = JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8'))
  const modules = [
    { type: 'ESModule' as const, path: join(folder, 'index.js') },
    ...readdirSync(folder)
      .filter((file) => file.endsWith('.wasm'))
      .map((file) => ({ type: 'CompiledWasm' as const, path: join(folder, file) })),
  ]
  return { ...options, name, modulesRoot: folder, modules, bindings: { ...options.bindings, ...bindings } }
}

type Objects = Record<string, { className: string; scriptName?: string }>
const called = worker('bursar', objects)
const workers = [called]
if (front !== objects) {
  const calling = worker('front', front)
  for (const [binding, object] of Object.entries(calling.durableObjects as Objects))
    if (binding in called.durableObjects) object.scriptName = 'bursar'
  workers.unshift(calling)
}
const server = new Miniflare({
  ...convertV4MiniflareOptions({ workers, host: 'localhost', port: Number(port) }),
  resourcePersistencePath: join(stateDir, 'worker/v3'),
})
await server.ready
process.once('SIGTERM', () => void server.dispose().then(() => process.exit(0)))
