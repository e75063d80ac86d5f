/** Builds what the local stack serves, when its sources have changed since the last build. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { foundryProgram } from './foundry.ts'

export const root = join(import.meta.dirname, '..')

type Target = {
  name: string
  /** Files and folders, relative to the project. */
  sources: string[]
  /** Missing = never built. */
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
    sources: ['worker', 'wrangler.toml', 'package-lock.json', 'scripts/bundleWorker.ts'],
    result: '.bursar/worker/options.json',
    command: ['node', 'scripts/bundleWorker.ts'],
    cwd: '.',
  },
} satisfies Record<string, Target>

type Name = keyof typeof targets

/** Says so only when it builds. Throws with the tool's output when a build fails. */
export async function ensureBuilt(target: Name, say: (line: string) => void): Promise<void> {
  const { name, sources, result } = targets[target]
  const stamp = stampOf(target)
  const built = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (built === contentHash(sources) && existsSync(join(root, result))) return
  say(`building ${name} …`)
  await build(target)
}

/** Builds, changed or not. Throws with the tool's output when that fails. */
export async function build(target: Name): Promise<void> {
  const { sources, command, cwd } = targets[target]
  const made = contentHash(sources)
  // A test runner says `test`, and React would come in its slow form for development.
  await run(command, { cwd, env: { NODE_ENV: 'production' } })
  mkdirSync(join(root, '.bursar'), { recursive: true })
  writeFileSync(stampOf(target), made)
}

const stampOf = (target: Name) => join(root, `.bursar/${target}.built`)

/**
 * Runs one of the project's own tools to its end, in `cwd` relative to the project: its output. Throws with the output
 * unless the tool succeeds.
 */
export async function run(
  command: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const [tool, ...args] = command as [string, ...string[]]
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const child = spawn(tool === 'forge' ? foundryProgram(tool) : tool, args, {
    cwd: join(root, options.cwd ?? '.'),
    env: { ...process.env, ...options.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-100_000)
    })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => reject(new Error(`${tool} can't be started: run npm ci first`, { cause })))
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output}`)
  return output
}

function contentHash(sources: string[]): string {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesIn(join(root, source))))
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
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
