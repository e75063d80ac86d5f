/** `wrangler dev` as a child: started as users start it, without a terminal, a login or the internet. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root, run } from './build.ts'

const require = createRequire(import.meta.url)

/** Wrangler's own program: its wrapper in .bin would be one more process to end. */
const wranglerCli = join(dirname(require.resolve('wrangler/package.json')), 'wrangler-dist/cli.js')
const bundle = '.bursar/worker/index.js'
const leanWorker = join(import.meta.dirname, 'leanWorker.ts')
const leash = join(import.meta.dirname, 'leash.ts')

/** No account, no telemetry, no request for `cf`, no record of each call that nobody reads, and logs of its own folder. */
const offline = (stateDir: string) => ({
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  WRANGLER_SEND_METRICS: 'false',
  XDG_CONFIG_HOME: join(stateDir, 'config'),
  NO_COLOR: '1',
  CI: '1',
})

export type WranglerDev = {
  pid: number
  /** Of the runtime itself, a child of wrangler's. Linux only. */
  workerdPid(): number
  /** Resolves when wrangler has ended, for whatever reason. */
  ended: Promise<void>
  stop(): Promise<void>
  /** Ends workerd with SIGKILL, and wrangler too: nothing is written, nothing is answered. */
  kill(): Promise<void>
  /** After `kill`: true when another workerd serves, which a lean one starts by itself; false where all has to start. */
  revived(): Promise<boolean>
}

/** Serves the whole product on `port` when resolved; its output is in wrangler.log of `stateDir`. */
export function startWranglerDev(options: {
  port: number
  stateDir: string
  vars: Record<string, string>
  secretsPath: string
  /** Shows what the Worker prints once it serves; the log always has everything. */
  show: boolean
  /** In place of wrangler.toml's. */
  entry?: string | undefined
  /** Takes the bundle that scripts/bundleWorker.ts made. */
  bundled: boolean
  /** In workerd alone, without pages: scripts/leanWorker.ts. */
  lean: boolean
}): Promise<WranglerDev> {
  const { port, stateDir, vars, secretsPath, show, entry, bundled, lean } = options
  if (lean) {
    const command = [leanWorker, String(port), stateDir, secretsPath]
    return startServer({ command, cwd: root, port, stateDir, show, lean, env: { LEAN_VARS: JSON.stringify(vars) } })
  }
  const program = bundled ? [bundle, '--no-bundle', '--config', 'wrangler.toml'] : entry ? [entry] : []
  const args = ['dev', ...program, '--env-file', secretsPath]
  for (const [name, value] of Object.entries(vars)) args.push('--var', `${name}:${value}`)
  return startWrangler({ args, cwd: root, port, stateDir, show })
}

type Server = {
  cwd: string
  port: number
  stateDir: string
  show: boolean
  lean?: boolean
  env?: Record<string, string>
}

/** Any of wrangler's local servers, with its state in `stateDir`. */
export function startWrangler({ args, ...server }: Server & { args: string[] }): Promise<WranglerDev> {
  const { port, stateDir } = server
  const kept = ['--port', String(port), '--inspector-port', '0', '--persist-to', join(stateDir, 'worker')]
  const quiet = ['--show-interactive-dev-session=false', '--log-level', 'warn']
  return startServer({ ...server, command: [wranglerCli, ...args, ...kept, ...quiet] })
}

/** `command` in Node. Throws with its output if it ends first or does not answer /api/health within a minute. */
async function startServer({
  command,
  cwd,
  port,
  stateDir,
  show,
  lean = false,
  env,
}: Server & { command: string[] }): Promise<WranglerDev> {
  const program = [process.execPath, '--no-warnings', ...command]
  const child = spawn(process.execPath, ['--no-warnings', leash, ...program], {
    cwd,
    env: { ...process.env, ...offline(stateDir), ...env },
    // The leash's stdin closes with this process: wrangler and workerd never outlive it, however it ends.
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group of its own: Ctrl-C reaches us, and we end the parts in order.
    detached: true,
  })
  let serving = false
  const tail = keepOutput(child, join(stateDir, 'wrangler.log'), () => show && serving)
  let over = false
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      over = true
      resolve()
    }),
  )

  /** All at once: wrangler alone would start another workerd, on the same state, in place of a killed one. */
  const killAll = () => endGroup(child.pid!)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (signal === 'SIGKILL') killAll()
    else if (!over) child.kill(signal)
    const timer = setTimeout(killAll, 10_000)
    await ended
    clearTimeout(timer)
  }

  const answering = async () => {
    const deadline = Date.now() + 60_000
    while (!(await answers(`http://localhost:${port}/api/health`))) {
      if (over) throw new Error(`wrangler ended:\n${tail()}`)
      if (Date.now() > deadline) {
        await end('SIGKILL')
        throw new Error(`wrangler was not ready within a minute:\n${tail()}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await answering()
  let wasKilled = false

  serving = true
  return {
    pid: child.pid!,
    workerdPid() {
      const [pid] = workerdOf(child.pid!)
      if (pid === undefined) throw new Error('wrangler has no workerd')
      return pid
    },
    ended,
    stop: () => end('SIGTERM'),
    async kill() {
      if (!lean) return end('SIGKILL')
      await killWorkerd(child.pid!)
      wasKilled = true
    },
    async revived() {
      if (!wasKilled || over) return false
      wasKilled = false
      await answering()
      return true
    },
  }
}

/** Applies the D1 migrations and then `sql`, in the state that `startWrangler` will use. */
export async function prepareDatabase(stateDir: string, sqlPath: string): Promise<void> {
  const local = ['--local', '--persist-to', join(stateDir, 'worker')]
  mkdirSync(stateDir, { recursive: true })
  await run(['wrangler', 'd1', 'migrations', 'apply', 'bursar', ...local], { env: offline(stateDir) })
  await run(['wrangler', 'd1', 'execute', 'bursar', ...local, '--yes', '--file', sqlPath], { env: offline(stateDir) })
}

function keepOutput(child: ChildProcess, path: string, shown: () => boolean): () => string {
  const log = createWriteStream(path, { flags: 'a' })
  let tail = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => {
      log.write(chunk)
      tail = (tail + chunk).slice(-4000)
      if (shown()) process.stderr.write(chunk)
    })
  child.once('close', () => log.end())
  return () => tail
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  await response?.body?.cancel()
  return response?.status === 200
}

/** Running workerd processes that `pid` started, itself or through a child. */
function workerdOf(pid: number): number[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // pid (comm) state ppid …
        const match = /^(\d+) \((.*)\) (\S) (\d+) /s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))
        return match && match[3] !== 'Z' ? [{ pid: Number(match[1]), comm: match[2]!, parent: Number(match[4]) }] : []
      } catch {
        return [] // ended meanwhile
      }
    })
  const family = new Set([pid])
  for (let size = 0; size < family.size; ) {
    size = family.size
    for (const entry of processes) if (family.has(entry.parent)) family.add(entry.pid)
  }
  return processes.filter((entry) => entry.comm === 'workerd' && family.has(entry.pid)).map((entry) => entry.pid)
}

/** Ended when resolved. Miniflare starts another at once. */
async function killWorkerd(parent: number): Promise<void> {
  const killed = workerdOf(parent)
  for (const pid of killed) process.kill(pid, 'SIGKILL')
  while (workerdOf(parent).some((pid) => killed.includes(pid))) await new Promise((resolve) => setTimeout(resolve, 5))
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // already gone
  }
}
