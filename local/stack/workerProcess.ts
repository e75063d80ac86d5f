/** The Worker in `wrangler dev`, or in workerd alone, as a child process: no terminal, no login, no internet. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from '../tools/runTool.ts'
import { killDescendants, killGroup, workerdOf } from './processTree.ts'

const require = createRequire(import.meta.url)

/** Wrangler's own program: its wrapper in .bin would be one more process to stop. */
const wranglerCli = join(dirname(require.resolve('wrangler/package.json')), 'wrangler-dist/cli.js')
/** The bundle that local/tools/bundleWorker.ts creates. */
export const bundle = '.bursar/worker/index.js'
const leanWorker = join(import.meta.dirname, 'leanWorker.ts')
const killWithParent = join(import.meta.dirname, 'killWithParent.ts')
/** Usually two seconds; a busy machine took more than a minute. */
const startMs = 180_000

/** No account, no telemetry, no request for `cf`, no record of each call, and configuration in the state's folder. */
export const offlineEnv = (stateDir: string) => ({
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  WRANGLER_SEND_METRICS: 'false',
  XDG_CONFIG_HOME: join(stateDir, 'config'),
  NO_COLOR: '1',
  CI: '1',
})

export type WorkerProcess = {
  pid: number
  /** Process id of the runtime, a descendant of `pid`. Linux only. */
  workerdPid(): number
  /** Resolves when the process has exited, for whatever reason. */
  ended: Promise<void>
  stop(): Promise<void>
  /** Kills workerd and wrangler with SIGKILL, so that nothing more is written or sent. */
  kill(): Promise<void>
  /** After `kill`: true once a new workerd is serving, if the process restarts it, as the lean one does. */
  revived(): Promise<boolean>
}

/** Resolves once the Worker is serving on `port`. Its output is in wrangler.log of `stateDir`. */
export function startWorkerProcess(options: {
  port: number
  stateDir: string
  vars: Record<string, string>
  secretsPath: string
  /** Also prints the Worker's output once it is serving. */
  show: boolean
  /** The Worker's entry, if not wrangler.toml's: a path from the root. */
  entry?: string | undefined
  /** Runs the bundle of local/tools/bundleWorker.ts. */
  bundled: boolean
  /** Runs the bundle in workerd alone, without pages: leanWorker.ts. */
  lean: boolean
  /** With `lean`: runs the History objects in a second workerd. */
  historyApart?: boolean | undefined
}): Promise<WorkerProcess> {
  const { port, stateDir, vars, secretsPath, show, entry, bundled, lean, historyApart } = options
  if (lean) {
    const command = [leanWorker, String(port), stateDir, secretsPath]
    if (historyApart) command.push('historyApart')
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
  /** Folder of `stateDir` in which wrangler stores data; one process per folder. 'worker' by default. */
  storage?: string
  show: boolean
  lean?: boolean
  env?: Record<string, string>
}

/** Starts any local server of wrangler, with its state in `stateDir`. */
export function startWrangler({ args, ...server }: Server & { args: string[] }): Promise<WorkerProcess> {
  const { port, stateDir, storage = 'worker' } = server
  const kept = ['--port', String(port), '--inspector-port', '0', '--persist-to', join(stateDir, storage)]
  const quiet = ['--show-interactive-dev-session=false', '--log-level', 'warn']
  return startServer({ ...server, command: [wranglerCli, ...args, ...kept, ...quiet] })
}

/** Runs `command` in Node. Throws with its output if it exits early or /api/health does not respond within a minute. */
export async function startServer({
  command,
  cwd,
  port,
  stateDir,
  show,
  lean = false,
  env,
}: Server & { command: string[] }): Promise<WorkerProcess> {
  const program = [process.execPath, '--no-warnings', ...command]
  const child = spawn(process.execPath, ['--no-warnings', killWithParent, ...program], {
    cwd,
    env: { ...process.env, ...offlineEnv(stateDir), ...env },
    // killWithParent's stdin closes when this process exits, however it exits: wrangler and workerd never outlive it.
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group, so that Ctrl-C reaches only us and we stop the parts in order.
    detached: true,
  })
  let serving = false
  const lastOutput = keepOutput(child, join(stateDir, 'wrangler.log'), () => show && serving)
  let hasExited = false
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      hasExited = true
      resolve()
    }),
  )

  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    // The whole group at once: otherwise wrangler would replace a killed workerd.
    if (signal === 'SIGKILL') killGroup(child.pid!)
    else if (!hasExited) child.kill(signal)
    const timer = setTimeout(() => killGroup(child.pid!), 10_000)
    await ended
    clearTimeout(timer)
  }

  const waitUntilHealthy = async () => {
    const deadline = Date.now() + startMs
    while (!(await isHealthy(`http://localhost:${port}/api/health`))) {
      if (hasExited) throw new Error(`the Worker's process exited:\n${lastOutput()}`)
      if (Date.now() > deadline) {
        await end('SIGKILL')
        throw new Error(`the Worker was not ready within three minutes:\n${lastOutput()}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await waitUntilHealthy()
  let wasKilled = false

  serving = true
  return {
    pid: child.pid!,
    workerdPid() {
      const [pid] = workerdOf(child.pid!)
      if (pid === undefined) throw new Error('no workerd is running')
      return pid
    },
    ended,
    stop: () => end('SIGTERM'),
    async kill() {
      if (!lean) return end('SIGKILL')
      await killDescendants(() => workerdOf(child.pid!))
      wasKilled = true
    },
    async revived() {
      if (!wasKilled || hasExited) return false
      wasKilled = false
      await waitUntilHealthy()
      return true
    },
  }
}

/** Writes the output to the file at `path`, and to the terminal while `shown`. Returns a function that reads its end. */
function keepOutput(child: ChildProcess, path: string, shown: () => boolean): () => string {
  const log = createWriteStream(path, { flags: 'a' })
  let end = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => {
      log.write(chunk)
      end = (end + chunk).slice(-4000)
      if (shown()) process.stderr.write(chunk)
    })
  child.once('close', () => log.end())
  return () => end
}

async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  await response?.body?.cancel()
  // A Worker behind Pages refuses requests for its own address.
  return response?.status === 200 || response?.status === 421
}

const intervalMs = 60_000 // as the cron trigger of wrangler.toml

/** Calls the Worker's scheduled handler once a minute, since wrangler does not. Returns a function that stops it. */
export function startCron(workerUrl: string): () => void {
  const timer = setInterval(() => {
    void fetch(`${workerUrl}/cdn-cgi/local/scheduled`).catch(() => {}) // a test may have stopped the Worker
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
