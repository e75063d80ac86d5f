/**
 * The whole of Bursar on this machine: two chains in place of Base and Base Sepolia, our contracts on them, and the
 * Worker with the SPA in `wrangler dev`. `npm run dev` runs one for people; tests start their own on free ports.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { contractSetting } from '../../worker/chain/contractSets.ts'
import type { ChainId, ContractSets, Contracts } from '../../worker/chain/types.ts'
import { ensureBuilt } from '../tools/build.ts'
import { root } from '../tools/runTool.ts'
import type { Anvil } from './anvil.ts'
import { relayerShards, startLocalChain } from './chains.ts'
import { ensureDatabase } from './database.ts'
import { freePort } from './ports.ts'
import { ensureLocalSecrets, type LocalSecrets, secretsPathOf } from './secrets.ts'
import { startCron, startWorkerProcess, type WorkerProcess } from './workerProcess.ts'

export type StackOptions = {
  /** Ports of the Worker, and of the chains in place of Base and Base Sepolia. Free ones by default. */
  port?: number
  basePort?: number
  sepoliaPort?: number
  /** The folder of everything that the stack stores; one stack per folder at a time. */
  stateDir: string
  /** Seconds between blocks. */
  blockTime?: number
  /** How many blocks `finalized` is behind; 2 by default. Even. */
  finalityBlocks?: number
  /** For a new state: the time of the chains' first blocks and of the seed, in ms; now by default. */
  startsAt?: number
  /** Writes the Worker's output to wrangler.log of `stateDir` only. */
  quiet?: boolean
  /** Override the stack's own variables, e.g. RPC_URLS_8453 to put a faulty node in front of the chain. */
  vars?: Record<string, string> | ((stack: { rpc: Record<ChainId, string> }) => Promise<Record<string, string>>)
  /** The Worker's entry, if not wrangler.toml's: a path from the root. */
  entry?: string
  /** Bundles the Worker once, not at each start, and does not watch its sources: for tests. */
  bundled?: boolean
  /** Runs the bundle without wrangler and pages, which starts faster. */
  lean?: boolean
  /** With `lean`: runs the History objects in a second workerd, as they share no thread with the rest on Cloudflare. */
  historyApart?: boolean
  /** Called with a line for each step that takes time. */
  say?: (line: string) => void
}

export type Stack = {
  url: string
  /** The URLs of the chains themselves, whatever `vars` tells the Worker. */
  rpc: Record<ChainId, string>
  /** The contracts of new wallets, and all sets that the state knows. */
  contracts: Record<ChainId, Contracts>
  contractSets: Record<ChainId, ContractSets>
  secrets: LocalSecrets
  /** A change takes effect at the Worker's next start. */
  vars: Record<string, string>
  stateDir: string
  workerdPid(): number
  /** Stops the Worker gracefully; the chains keep running. */
  stopWorker(): Promise<void>
  /** Kills workerd and wrangler with SIGKILL; the chains keep running. */
  killWorker(): Promise<void>
  /** Starts the Worker on the same state and port, after it was stopped or killed, or in place of a running one. */
  restartWorker(): Promise<void>
  /** Resolves when the Worker has exited unexpectedly. */
  workerEnded: Promise<void>
  stop(): Promise<void>
}

/** Resolves once the stack is serving. If a part fails to start, stops the others and throws. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { stateDir, blockTime = 2, say = () => {}, bundled = false, lean = false } = options
  const port = options.port ?? (await freePort())
  const url = `http://localhost:${port}`
  const chains: Anvil[] = []
  let worker: LocalWorker | undefined
  const endAtExit = () => {
    for (const pid of [worker?.pid(), ...chains.map((chain) => chain.pid)]) if (pid) endQuietly(pid)
  }
  process.once('exit', endAtExit)
  const stopAll = async () => {
    await worker?.stop()
    await Promise.all(chains.map((chain) => chain.stop()))
    process.removeListener('exit', endAtExit)
  }

  try {
    mkdirSync(stateDir, { recursive: true })
    await ensureBuilt('contracts', say)
    // wrangler.toml names the pages' folder, which must exist; a lean stack does not serve them, so any will do.
    if (!lean || !existsSync(join(root, 'web/dist'))) await ensureBuilt('web', say)
    if (bundled) await ensureBuilt('worker', say)
    const secretsPath = secretsPathOf(stateDir)
    const secrets = await ensureLocalSecrets(secretsPath)

    const started = (chain: Anvil) => void chains.push(chain)
    const { startsAt, finalityBlocks } = options
    const chain = { stateDir, secrets, blockTime, started, startsAt, finalityBlocks }
    const [base, sepolia] = await allSettled([
      startLocalChain({ ...chain, chainId: 8453, port: options.basePort }),
      startLocalChain({ ...chain, chainId: 84532, port: options.sepoliaPort }),
      ensureDatabase(stateDir, secrets, say, options.startsAt),
    ])
    const rpc = { 8453: base.url, 84532: sepolia.url }
    const contracts = { 8453: base.contracts, 84532: sepolia.contracts }
    const contractSets = { 8453: base.contractSets, 84532: sepolia.contractSets }
    const overrides = typeof options.vars === 'function' ? await options.vars({ rpc }) : options.vars
    const vars = { ...localVariables(url, rpc, contractSets), ...overrides }
    const { entry, quiet, historyApart } = options
    const program = { entry, bundled, lean, historyApart }
    worker = await startLocalWorker({ port, stateDir, vars, secretsPath, show: !quiet, ...program })
    const stopCron = startCron(url)

    return {
      url,
      rpc,
      contracts,
      contractSets,
      secrets,
      vars,
      stateDir,
      workerdPid: worker.workerdPid,
      stopWorker: worker.stop,
      killWorker: worker.kill,
      restartWorker: worker.restart,
      workerEnded: worker.crashed,
      async stop() {
        stopCron()
        await stopAll()
      },
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** Prepares the parts of a state that need no chain: secrets, and a database with the seed. Does this once per folder. */
export async function prepareState(stateDir: string): Promise<void> {
  mkdirSync(stateDir, { recursive: true })
  await ensureDatabase(stateDir, await ensureLocalSecrets(secretsPathOf(stateDir)), () => {})
}

/** Like Promise.all, but waits for the other parts if one fails, so that nothing starts while the rest is being stopped. */
async function allSettled<T extends unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const results = await Promise.allSettled(parts)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as T
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // already gone
  }
}

/** The Worker's variables on this machine; worker/settings.ts describes them. */
export const localVariables = (
  url: string,
  rpc: Record<ChainId, string>,
  contractSets: Record<ChainId, ContractSets>,
): Record<string, string> => ({
  ENVIRONMENT: 'local',
  API_ORIGIN: url,
  APP_ORIGIN: url,
  BETA_ACCESS_URL: `${url}/dev/beta`,
  EXPLORER_URL_8453: `${url}/dev`,
  EXPLORER_URL_84532: `${url}/dev`,
  PUBLIC_RPC_URL_8453: `${url}/dev/rpc/8453`,
  PUBLIC_RPC_URL_84532: `${url}/dev/rpc/84532`,
  RPC_URLS_8453: rpc[8453],
  RPC_URLS_84532: rpc[84532],
  CONTRACTS_8453: contractSetting(contractSets[8453]),
  CONTRACTS_84532: contractSetting(contractSets[84532]),
  CONFIRM_DEPTH: '1',
  // Tests move the chains' time.
  MAX_CLOCK_SKEW_SECONDS: '',
  RELAYER_SHARDS: String(relayerShards),
  SMS_COUNTRIES: '*',
  PASSKEY_DOMAIN: 'localhost',
})

/** The Worker of a stack, which can be stopped, killed and restarted. */

export type LocalWorker = {
  /** Process id of the current wrangler, or of the lean Worker. */
  pid(): number
  workerdPid(): number
  /** Stops the Worker gracefully. */
  stop(): Promise<void>
  /** Kills workerd and wrangler with SIGKILL. */
  kill(): Promise<void>
  /** Starts the Worker with the same options, after `stop` or `kill`, or in place of a running one. */
  restart(): Promise<void>
  /** Resolves when the Worker has exited without `stop`, `kill` or `restart`. */
  crashed: Promise<void>
}

/** Resolves once the Worker is serving. */
export async function startLocalWorker(options: Parameters<typeof startWorkerProcess>[0]): Promise<LocalWorker> {
  const endedOnPurpose = new WeakSet<WorkerProcess>()
  const crashed = Promise.withResolvers<void>()
  const start = async () => {
    const started = await startWorkerProcess(options)
    void started.ended.then(() => {
      if (!endedOnPurpose.has(started)) crashed.resolve()
    })
    return started
  }
  let current = await start()
  const stop = async () => {
    endedOnPurpose.add(current)
    await current.stop()
  }
  return {
    pid: () => current.pid,
    workerdPid: () => current.workerdPid(),
    stop,
    async kill() {
      endedOnPurpose.add(current)
      await current.kill()
    },
    async restart() {
      if (await current.revived()) return
      await stop()
      current = await start()
    },
    crashed: crashed.promise,
  }
}
