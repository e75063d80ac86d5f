/** Generates the Worker's own wrangler config of a deployment from the committed one, which is not changed. */
import { join, relative } from 'node:path'
import { root } from '../local/tools/runTool.ts'
import type { State } from './state.ts'

export type WorkerConfigOptions = {
  name: string
  accountId?: string
  databaseId: string
  /** Path of the Worker's program from the root, bundled or not. */
  main: string
  bundled: boolean
  /** Variables that replace wrangler.toml's. Undefined removes one that is a secret in this deployment. */
  vars: Record<string, string | undefined>
  /** Binds Cloudflare's email service. */
  sendsEmail?: boolean
  /** Binds an Analytics Engine dataset with the Worker's name. */
  hasMetrics?: boolean
  logDestinations?: string[] | undefined
}

/** Returns JSON for wrangler, with paths relative to the state's folder. */
export async function workerConfig(state: Pick<State, 'folder'>, options: WorkerConfigOptions): Promise<string> {
  const { name, accountId, databaseId, main, bundled, sendsEmail, hasMetrics, logDestinations } = options
  // Pages has the files, so the Worker has none.
  const { dev: _, assets: __, ...base } = await committedConfig()
  const fromFolder = (path: string) => relative(state.folder, join(root, path))
  const config = {
    ...base,
    name,
    ...(accountId && { account_id: accountId }),
    main: fromFolder(main),
    ...(bundled && { no_bundle: true }),
    // No address of its own: the Pages project forwards to it.
    workers_dev: false,
    preview_urls: false,
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

/** wrangler.toml as an object. */
export async function committedConfig() {
  // Imported here because it takes a second, which a dry run need not wait for.
  const { experimental_readRawConfig } = await import('wrangler')
  return experimental_readRawConfig({ config: join(root, 'wrangler.toml') }).rawConfig
}
