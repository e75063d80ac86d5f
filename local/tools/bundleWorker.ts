/**
 * Bundles the Worker for the stacks of tests into .bursar/worker: index.js with its modules, and options.json, which is
 * wrangler.toml in Miniflare's terms. Leaves out the source maps: five megabytes that no test needs.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { root, runTool } from './runTool.ts'

const folder = join(root, '.bursar/worker')
rmSync(folder, { recursive: true, force: true })
await runTool(['wrangler', 'deploy', '--dry-run', '--outdir', folder], {
  env: { WRANGLER_SEND_METRICS: 'false', CI: '1' },
})
rmSync(join(folder, 'index.js.map'))
const program = join(folder, 'index.js')
writeFileSync(program, readFileSync(program, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, 'wrangler.toml'))
const { compatibilityDate, compatibilityFlags, bindings, d1Databases, r2Buckets, durableObjects } = workerOptions
const options = { compatibilityDate, compatibilityFlags, bindings, d1Databases, r2Buckets, durableObjects }
writeFileSync(join(folder, 'options.json'), JSON.stringify(options))
