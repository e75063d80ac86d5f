/** A deployment's own wrangler config and headers, made from the committed ones, which stay as they are. */
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../local/tools/runTool.ts'
import { LaunchError } from './launchError.ts'
import type { State } from './state.ts'

export type WorkerConfigOptions = {
  name: string
  accountId?: string
  databaseId: string
  /** The Worker's program, from the root; already bundled or not. */
  main: string
  bundled: boolean
  /** Variables that differ from wrangler.toml's; undefined leaves one out, for those that are secrets here. */
  vars: Record<string, string | undefined>
  /** The hostname to serve; none on this machine. */
  hostname?: string
  /** Binds Cloudflare's email service. */
  sendsEmail?: boolean
  /** Binds a dataset of Analytics Engine, which has the Worker's name. */
  hasMetrics?: boolean
  logDestinations?: string[] | undefined
}

/** JSON for wrangler, with paths relative to the state's folder. */
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
    // One hostname serves everything: on others, Cloudflare Access and the firewall of the zone do not apply.
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

/** Copies the built pages, with headers that let the dashboard reach `publicRpcUrl`. Returns whether the headers changed. */
export function preparePages(state: State, publicRpcUrl: string): boolean {
  const headers = readFileSync(join(root, 'web/public/_headers'), 'utf8')
  if (!headers.includes(committedNodes)) throw new LaunchError(`web/public/_headers does not name ${committedNodes}`)
  rmSync(state.path(pagesFolder, 'assets'), { recursive: true, force: true })
  const own = join(pagesFolder, '_headers')
  cpSync(join(root, 'web/dist'), state.path(pagesFolder), {
    recursive: true,
    filter: (path) => !path.endsWith('/_headers') && !path.endsWith('/_routes.json'),
  })
  const nodes = [...new Set([...committedNodes.split(' '), new URL(publicRpcUrl).origin])]
  return state.write(own, headers.replace(committedNodes, nodes.join(' ')))
}
