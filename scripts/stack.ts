/**
 * The whole of Bursar on this machine: two chains in place of Base and Base Sepolia, our contracts on them, and the
 * Worker with the SPA in `wrangler dev`. `npm run dev` shows it to people; tests start their own on free ports.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { addressOf } from '../worker/chain/sign.ts'
import type { Address, ChainId, Contracts, Hex } from '../worker/chain/types.ts'
import { relayerAccount } from '../worker/relayer/account.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { ensureBuilt, root } from './build.ts'
import { deployContracts } from './deployment.ts'
import { ensureLocalSecrets, type LocalSecrets } from './secrets.ts'
import { seedSql } from './seed.ts'
import { prepareDatabase, startWranglerDev, type WranglerDev } from './wranglerDev.ts'

export const chainIds = [8453, 84532] as const satisfies ChainId[]

/** anvil's well-known keys, worth nothing: they govern the stand-in token and the contracts of local chains. */
const localKeys = {
  deployer: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  providerAdmin: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  usdcAdmin: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
} as const satisfies Record<string, Hex>

const shards = 1
const relayerWei = 10_000n * 10n ** 18n
const watchdogMs = 60_000 // 1 minute, as the cron trigger of wrangler.toml

export type StackOptions = {
  /** Of the Worker, and of the chains in place of Base and Base Sepolia. Free ones unless given. */
  port?: number
  basePort?: number
  sepoliaPort?: number
  /** Everything the stack keeps; one stack per folder at a time. */
  stateDir: string
  /** Seconds between blocks. */
  blockTime?: number
  /** Keeps the Worker's output in wrangler.log of `stateDir` only. */
  quiet?: boolean
  /** Over the stack's own variables, e.g. RPC_URLS_8453 to put a faulty node between. */
  vars?: Record<string, string> | ((stack: { rpc: Record<ChainId, string> }) => Promise<Record<string, string>>)
  /** Another entry of the Worker than wrangler.toml's: a path from the root. */
  entry?: string
  /** The Worker is bundled before it starts, not at each start, and does not follow its sources: for tests. */
  bundled?: boolean
  /** Bundled, and without wrangler and pages: starts sooner. */
  lean?: boolean
  /** Told once for each step that takes time. */
  say?: (line: string) => void
}

export type Stack = {
  url: string
  /** The chains themselves, whatever `vars` told the Worker. */
  rpc: Record<ChainId, string>
  contracts: Record<ChainId, Contracts>
  secrets: LocalSecrets
  vars: Record<string, string>
  stateDir: string
  /** True when the contracts differ from those the kept state was made with: old wallets then lead nowhere. */
  contractsChanged: boolean
  workerdPid(): number
  /** Ends the Worker in good order; the chains go on. */
  stopWorker(): Promise<void>
  /** SIGKILL to workerd and wrangler; the chains go on. */
  killWorker(): Promise<void>
  /** Starts the Worker again on the same state and port, after one of these or instead of a running one. */
  restartWorker(): Promise<void>
  /** Resolves when the Worker ended without being asked to. */
  workerEnded: Promise<void>
  stop(): Promise<void>
}

/** Ready to serve when resolved. On failure everything started is ended again. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { stateDir, blockTime = 2, say = () => {} } = options
  const port = options.port ?? (await freePort())
  const url = `http://localhost:${port}`
  const chains: Anvil[] = []
  let worker: WranglerDev | undefined
  const abandon = () => {
    for (const pid of [worker?.pid, ...chains.map((chain) => chain.pid)]) if (pid) endQuietly(pid)
  }
  process.once('exit', abandon)
  const stopAll = async () => {
    await worker?.stop()
    await Promise.all(chains.map((chain) => chain.stop()))
    process.removeListener('exit', abandon)
  }

  try {
    mkdirSync(stateDir, { recursive: true })
    await ensureBuilt('contracts', say)
    // The bundle is made for wrangler.toml, which names the pages' folder: any pages will do for a lean stack.
    if (!options.lean || !existsSync(join(root, 'web/dist'))) await ensureBuilt('web', say)
    if (options.bundled) await ensureBuilt('worker', say)
    const secretsPath = secretsOf(stateDir)
    const secrets = await ensureLocalSecrets(secretsPath)

    const startChain = async (chainId: ChainId, wanted: number | undefined) => {
      const chain = await startAnvil({
        chainId,
        blockTime,
        statePath: join(stateDir, `chain-${chainId}.json`),
        ...(wanted !== undefined && { port: wanted }),
      })
      chains.push(chain)
      return { url: chain.url, contracts: await prepareChain(chain.url, chainId, secrets) }
    }
    const [base, sepolia] = await settled([
      startChain(8453, options.basePort),
      startChain(84532, options.sepoliaPort),
      ensureDatabase(stateDir, secrets, say),
    ])
    const rpc = { 8453: base.url, 84532: sepolia.url }
    const contracts = { 8453: base.contracts, 84532: sepolia.contracts }
    const extra = typeof options.vars === 'function' ? await options.vars({ rpc }) : options.vars
    const vars = { ...localVars(url, rpc, contracts), ...extra }

    const { entry, bundled = false, lean = false } = options
    const start = () =>
      startWranglerDev({ port, stateDir, vars, secretsPath, show: !options.quiet, entry, bundled, lean })
    worker = await start()
    const asked = new WeakSet<WranglerDev>()
    const unasked = Promise.withResolvers<void>()
    const watch = (current: WranglerDev) =>
      void current.ended.then(() => {
        if (!asked.has(current)) unasked.resolve()
      })
    watch(worker)
    const watchdog = setInterval(() => {
      void fetch(`${url}/cdn-cgi/local/scheduled`).catch(() => {}) // the Worker may be down on purpose
    }, watchdogMs)
    watchdog.unref()

    return {
      url,
      rpc,
      contracts,
      secrets,
      vars,
      stateDir,
      contractsChanged: contractsDiffer(stateDir, contracts),
      workerdPid: () => worker!.workerdPid(),
      async stopWorker() {
        asked.add(worker!)
        await worker!.stop()
      },
      async killWorker() {
        asked.add(worker!)
        await worker!.kill()
      },
      async restartWorker() {
        if (await worker!.revived()) return
        asked.add(worker!)
        await worker!.stop()
        worker = await start()
        watch(worker)
      },
      workerEnded: unasked.promise,
      async stop() {
        clearInterval(watchdog)
        asked.add(worker!)
        await stopAll()
      },
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

const secretsOf = (stateDir: string) => join(stateDir, 'secrets.env')

/** What every stack begins with, without any chain: secrets, and a database with the seed. Done once for a folder. */
export async function prepareState(stateDir: string): Promise<void> {
  mkdirSync(stateDir, { recursive: true })
  await ensureDatabase(stateDir, await ensureLocalSecrets(secretsOf(stateDir)), () => {})
}

function localVars(url: string, rpc: Record<ChainId, string>, contracts: Record<ChainId, Contracts>) {
  return {
    ENVIRONMENT: 'local',
    API_ORIGIN: url,
    APP_ORIGIN: url,
    BETA_ACCESS_URL: `${url}/signup`,
    EXPLORER_URL_8453: `${url}/dev`,
    EXPLORER_URL_84532: `${url}/dev`,
    PUBLIC_RPC_URL_8453: `${url}/dev/rpc/8453`,
    PUBLIC_RPC_URL_84532: `${url}/dev/rpc/84532`,
    RPC_URLS_8453: rpc[8453],
    RPC_URLS_84532: rpc[84532],
    CONTRACTS_8453: JSON.stringify(contracts[8453]),
    CONTRACTS_84532: JSON.stringify(contracts[84532]),
    CONFIRM_DEPTH: '1',
    RELAYER_SHARDS: String(shards),
  }
}

/** Gas money for those who send transactions, and our contracts; both are cheap when there already. */
async function prepareChain(rpcUrl: string, chainId: ChainId, secrets: LocalSecrets): Promise<Contracts> {
  const deployer = addressOf(localKeys.deployer)
  const relayers = Array.from({ length: shards }, (_, i) => relayerAccount(secrets.RELAYER_SEED_V1, chainId, i).address)
  for (const address of [deployer, ...relayers]) await giveEther(rpcUrl, address)
  return deployContracts(rpcUrl, {
    providerAdmin: addressOf(localKeys.providerAdmin),
    operator: addressOf(`0x${secrets.OPERATOR_KEY_V1}`),
    usdcAdmin: addressOf(localKeys.usdcAdmin),
    deployerKey: localKeys.deployer,
  })
}

async function giveEther(rpcUrl: string, address: Address): Promise<void> {
  const params = [address, `0x${relayerWei.toString(16)}`]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params })
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { error } = (await response.json()) as { error?: { message: string } }
  if (error) throw new Error(`anvil_setBalance: ${error.message}`)
}

/** Migrations and seed rows, unless this state has had exactly these: wrangler needs seconds to find that out. */
async function ensureDatabase(stateDir: string, secrets: LocalSecrets, say: (line: string) => void): Promise<void> {
  const hash = createHash('sha256').update(secrets.PASSWORD_PEPPER).update(secrets.CODE_PEPPER)
  hash.update(readFileSync(join(import.meta.dirname, 'seed.ts')))
  for (const name of readdirSync(join(root, 'migrations')).sort()) hash.update(name)
  const wanted = hash.digest('hex')
  const stamp = join(stateDir, 'database.prepared')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('preparing the database …')
  const sqlPath = join(stateDir, 'seed.sql')
  writeFileSync(sqlPath, await seedSql(secrets))
  await prepareDatabase(stateDir, sqlPath)
  writeFileSync(stamp, wanted)
}

/** Against the contracts this state first ran with, which are noted at the first start. */
function contractsDiffer(stateDir: string, contracts: Record<ChainId, Contracts>): boolean {
  const note = join(stateDir, 'contracts.json')
  const now = JSON.stringify(contracts, null, 2)
  if (existsSync(note)) return readFileSync(note, 'utf8') !== now
  writeFileSync(note, now)
  return false
}

/** All of them, so that nothing is still starting when one fails and the rest is stopped. */
async function settled<T extends unknown[]>(parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const results = await Promise.allSettled(parts)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as T
}

/** True when nobody listens there. */
export async function portIsFree(port: number): Promise<boolean> {
  return (await listen(port)) !== null
}

export async function freePort(): Promise<number> {
  for (;;) {
    const found = await listen(firstPort + Math.floor(Math.random() * ports))
    if (found !== null) return found
  }
}

/** Below those that the system gives to connections: one of these would be taken again before its server listens. */
const firstPort = 20_000
const ports = 12_000

function listen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // already gone
  }
}
