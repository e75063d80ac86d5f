/** Generates a deployment's Pages project: the built pages, the function, and the config for wrangler. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentHash } from '../local/tools/build.ts'
import { root } from '../local/tools/runTool.ts'
import type { ContractSets } from '../worker/chain/types.ts'
import type { ChainId } from '../worker/domain/networks.ts'
import type { State } from './state.ts'
import { LaunchError } from './steps.ts'
import { committedConfig } from './workerConfig.ts'

export const pagesFolder = (state: Pick<State, 'path'>) => state.path('pages')
export const pagesConfigPath = (state: Pick<State, 'path'>) => state.path('pages', 'wrangler.json')

/** The Pages project in front of the Worker with this name. */
export const projectName = (worker: string) => `${worker}-web`

/** Identifies what is deployed to Pages. */
export const pagesVersion = (state: Pick<State, 'path'>) =>
  contentHash(['dist', 'functions', 'wrangler.json'], pagesFolder(state))

const committedNodes = 'https://mainnet.base.org https://sepolia.base.org'

export type PagesOptions = {
  /** The name of the Worker to which the function forwards wrangler.toml's `run_worker_first`. */
  worker: string
  /** What the dashboard may connect to, besides Base's own nodes. */
  publicRpcUrl: string
  /** The contracts of the deployment; the recovery page shows the wallets of their factories. */
  contractSets: SetsByChain
  /** The domain of recipients' passkeys, which the recovery page opens; undefined if they keep no money here. */
  passkeyDomain?: string | undefined
}
type SetsByChain = Partial<Record<ChainId, ContractSets>>

/** Writes the project into the state's folder. Returns whether anything has changed. */
export async function preparePages(state: State, options: PagesOptions): Promise<boolean> {
  const { worker, publicRpcUrl, contractSets, passkeyDomain = '' } = options
  const { compatibility_date, assets } = await committedConfig()
  const folder = pagesFolder(state)
  const before = existsSync(pagesConfigPath(state)) ? pagesVersion(state) : null

  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  cpSync(join(root, 'web/dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'web/functions'), join(folder, 'functions'), { recursive: true })
  const edit = (name: string, change: (text: string) => string) => {
    const path = join(folder, 'dist', name)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
  edit('_headers', (headers) => withNode(headers, publicRpcUrl))
  edit('recovery.html', (page) => withPasskeys(withFactories(page, contractSets), passkeyDomain))
  const routes = { version: 1, include: assets?.run_worker_first, exclude: [] }
  writeFileSync(join(folder, 'dist/_routes.json'), JSON.stringify(routes, null, 2))
  const config = {
    name: projectName(worker),
    pages_build_output_dir: 'dist',
    compatibility_date,
    services: [{ binding: 'API', service: worker }],
  }
  writeFileSync(pagesConfigPath(state), JSON.stringify(config, null, 2))
  // wrangler builds below the nearest package.json, and searches for its config from there: without this file a
  // package.json in any folder above would leave the function without its binding.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }))
  return pagesVersion(state) !== before
}

function withNode(headers: string, publicRpcUrl: string): string {
  if (!headers.includes(committedNodes)) throw new LaunchError(`web/public/_headers does not name ${committedNodes}`)
  const nodes = new Set([...committedNodes.split(' '), new URL(publicRpcUrl).origin])
  return headers.replaceAll(committedNodes, [...nodes].join(' '))
}

const noFactories = `name="wallet-factories" content='{}'`

/** Returns the recovery page with the factories of these sets, whose wallets it may show. Throws LaunchError without a place. */
export function withFactories(page: string, contractSets: SetsByChain): string {
  if (!page.includes(noFactories)) throw new LaunchError(`the recovery page has no ${noFactories}`)
  const factories = Object.entries(contractSets).map(([chainId, { sets }]) => [
    chainId,
    [...new Set(Object.values(sets).map(({ factory }) => factory))],
  ])
  return page.replace(noFactories, noFactories.replace('{}', JSON.stringify(Object.fromEntries(factories))))
}

const localPasskeys = 'name="passkey-domain" content="localhost"'

/** Returns the recovery page with the domain whose passkeys it opens; empty for none. Throws LaunchError without a place. */
export function withPasskeys(page: string, domain: string): string {
  if (!page.includes(localPasskeys)) throw new LaunchError(`the recovery page has no ${localPasskeys}`)
  return page.replace(localPasskeys, localPasskeys.replace('localhost', domain))
}
