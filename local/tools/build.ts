/** Builds what the local stack serves, if its sources have changed since the last build. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root, runTool } from './runTool.ts'

type Target = {
  name: string
  /** Files and folders, relative to the project. */
  sources: string[]
  /** Exists once the target has been built. */
  result: string
  command: string[]
  cwd: string
}

const targets = {
  contracts: {
    name: 'contracts',
    sources: [
      'contracts/src',
      'contracts/probe',
      'contracts/foundry.toml',
      'contracts/solc.mjs',
      'node_modules/solc/package.json',
    ],
    result: 'contracts/out/AgentWallet.sol/AgentWallet.json',
    command: ['forge', 'build'],
    // foundry.toml names its compiler relative to here.
    cwd: 'contracts',
  },
  web: {
    name: 'web pages',
    sources: [
      'web/src',
      'web/public',
      'web/index.html',
      'web/vite.config.ts',
      'web/preloads.ts',
      'web/sharedChunks.ts',
      'scripts/recovery.ts',
      'worker/chain',
      'worker/domain',
      'worker/schemas',
      'package-lock.json',
    ],
    result: 'web/dist/index.html',
    command: ['vite', 'build', '--logLevel', 'warn'],
    cwd: 'web',
  },
  worker: {
    name: 'the Worker',
    sources: ['worker', 'web/functions', 'wrangler.toml', 'package-lock.json', 'local/tools/bundleWorker.ts'],
    result: '.bursar/worker/options.json',
    command: ['node', 'local/tools/bundleWorker.ts'],
    cwd: '.',
  },
} satisfies Record<string, Target>

type Name = keyof typeof targets

/** Builds the target if its sources have changed, and then tells `say`. Throws with the tool's output if the build fails. */
export async function ensureBuilt(target: Name, say: (line: string) => void): Promise<void> {
  const { name, sources, result } = targets[target]
  const stamp = stampOf(target)
  const built = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (built === contentHash(sources) && existsSync(join(root, result))) return
  say(`building ${name} …`)
  await build(target)
}

/** Builds even if nothing has changed. Throws with the tool's output if the build fails. */
export async function build(target: Name): Promise<void> {
  const { sources, command, cwd } = targets[target]
  const hash = contentHash(sources)
  // Test runners set NODE_ENV to test, which would build React's slow development version.
  await runTool(command, { cwd, env: { NODE_ENV: 'production' } })
  mkdirSync(join(root, '.bursar'), { recursive: true })
  writeFileSync(stampOf(target), hash)
}

const stampOf = (target: Name) => join(root, `.bursar/${target}.built`)

/** Hash of the files below `sources`, which are relative to `base`, and of their names. */
export function contentHash(sources: string[], base = root): string {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesIn(join(base, source))))
    hash.update(relative(base, file)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return (
    readdirSync(path)
      .sort()
      // The router writes this file while it builds.
      .filter((name) => name !== 'routeTree.gen.ts')
      .flatMap((name) => filesIn(join(path, name)))
  )
}
