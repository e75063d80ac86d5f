/** Generates a deployment's own wrangler config and headers from the committed ones, which are not changed. */
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../local/tools/runTool.ts'
import type { ContractSets } from '../worker/chain/types.ts'
import type { ChainId } from '../worker/domain/networks.ts'
import type { State } from './state.ts'
import { LaunchError } from './steps.ts'

export type WorkerConfigOptions = {
  name: string
  accountId?: string
  databaseId: string
  /** Path of the Worker's program from the root, bundled or not. */
  main: string
  bundled: boolean
  /** Variables that replace wrangler.toml's. Undefined removes one that is a secret in this deployment. */
  vars: Record<string, string | undefined>
  /** The hostname to serve; none on this machine. */
  hostname?: string
  /** Binds Cloudflare's email service. */
  sendsEmail?: boolean
  /** Binds an Analytics Engine dataset with the Worker's name. */
  hasMetrics?: boolean
  logDestinations?: string[] | undefined
}

/** Returns JSON for wrangler, with paths relative to the state's folder. */
export async function workerConfig(state: Pick<State, 'folder'>, options: WorkerConfigOptions): Promise<string> {
  // Imported here because it takes a second, which a dry run need not wait for.
  const { experimental_readRawConfig } = await import('wrangler')
  const { name, accountId, databaseId, main, bundled, hostname, sendsEmail, hasMetrics, logDestinations } = options
  const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') })
  const { dev: _, ...base } = rawConfig
  const fromFolder = (path: string) => relative(state.folder, join(root, path))
  const config = {
    ...base,
    name,
    ...(accountId && { account_id: accountId }),
    main: fromFolder(main),
    ...(bundled && { no_bundle: true }),
    // One hostname serves everything: on others, Cloudflare Access and the zone's firewall would not apply.
    workers_dev: false,
    preview_urls: false,
    ...(hostname && { routes: [{ pattern: hostname, custom_domain: true }] }),
    assets: { ...base.assets, directory: pagesFolder },
    d1_databases: (base.d1_databases as { binding: string }[]).map((database) => ({
      ...database,
      database_name: name,
      database_id: databaseId,
      migrations_dir: fromFolder('migrations'),
    })),
    r2_buckets: (base.r2_buckets as { binding: string }[]).map((bucket) => ({
      ...bucket,
      bucket_name: bucketName(name),
    })),
    ...(sendsEmail && { send_email: [{ name: 'EMAIL' }] }),
    ...(hasMetrics && { analytics_engine_datasets: [{ binding: 'METRICS', dataset: name }] }),
    ...(logDestinations && {
      observability: { ...base.observability, logs: { ...base.observability?.logs, destinations: logDestinations } },
    }),
    vars: Object.fromEntries(
      Object.entries({ ...(base.vars as Record<string, string>), ...options.vars }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  }
  return `${JSON.stringify(config, null, 2)}\n`
}

/** The R2 bucket of the Worker with this name. */
export const bucketName = (name: string) => `${name}-backup`

const pagesFolder = 'pages'
const committedNodes = 'https://mainnet.base.org https://sepolia.base.org'

/**
 * Copies the built pages, with headers that let the dashboard reach `publicRpcUrl`, and the wallet factories of the
 * deployment in the recovery page. Returns whether either changed.
 */
export function preparePages(state: State, publicRpcUrl: string, contractSets: SetsByChain): boolean {
  const headers = readFileSync(join(root, 'web/public/_headers'), 'utf8')
  if (!headers.includes(committedNodes)) throw new LaunchError(`web/public/_headers does not name ${committedNodes}`)
  rmSync(state.path(pagesFolder, 'assets'), { recursive: true, force: true })
  const recovery = 'recovery.html'
  cpSync(join(root, 'web/dist'), state.path(pagesFolder), {
    recursive: true,
    filter: (path) => !['/_headers', '/_routes.json', `/${recovery}`].some((own) => path.endsWith(own)),
  })
  const page = readFileSync(join(root, 'web/dist', recovery), 'utf8')
  const hasNewFactories = state.write(join(pagesFolder, recovery), withFactories(page, contractSets))
  const nodes = [...new Set([...committedNodes.split(' '), new URL(publicRpcUrl).origin])]
  return state.write(join(pagesFolder, '_headers'), headers.replace(committedNodes, nodes.join(' '))) || hasNewFactories
}

type SetsByChain = Partial<Record<ChainId, ContractSets>>
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
