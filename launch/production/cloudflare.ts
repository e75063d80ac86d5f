/** Cloudflare as a launch uses it: the API where one request is enough, wrangler for the rest. */
import { existsSync } from 'node:fs'
import { runTool } from '../../local/tools/runTool.ts'
import { pagesConfigPath, pagesFolder } from '../pagesConfig.ts'
import type { State } from '../state.ts'
import { LaunchError } from '../steps.ts'

const keptLines = 40

type Envelope<T> = { success: boolean; result: T; errors?: { code: number; message: string }[] }

export type Cloudflare = {
  /** `/accounts/{id}`, which most paths begin with. */
  account: string
  /** Returns the result of a request; null for 403 and 404. Throws LaunchError for other refusals. */
  request<T>(method: Method, path: string, body?: unknown): Promise<T | null>
  /** Runs wrangler with the Worker's config and returns its output. Throws with the output if it fails. */
  wrangler(...args: string[]): Promise<string>
  /** The same, with the secrets as JSON in its standard input, so that they are never in a file. */
  wranglerWithSecrets(secrets: Record<string, string>, ...args: string[]): Promise<string>
  /** The same in the folder of the Pages project, the only place where `wrangler pages` looks for its config. */
  wranglerPages(...args: string[]): Promise<string>
}
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `environment` has CLOUDFLARE_API_TOKEN, and CLOUDFLARE_API_BASE_URL in tests. Throws LaunchError without a token. */
export function openCloudflare(
  accountId: string,
  state: State,
  environment: Record<string, string | undefined>,
): Cloudflare {
  const token = environment.CLOUDFLARE_API_TOKEN
  if (!token) throw new LaunchError('set CLOUDFLARE_API_TOKEN (docs/deploying.md lists its permissions)')
  const baseUrl = environment.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4'
  const run = (args: string[], input?: string) => {
    const running = runTool(['wrangler', ...args], {
      ...(input !== undefined && { input }),
      env: {
        CLOUDFLARE_API_TOKEN: token,
        CLOUDFLARE_ACCOUNT_ID: accountId,
        CLOUDFLARE_API_BASE_URL: baseUrl,
        WRANGLER_SEND_METRICS: 'false',
        // Uses neither the user's own login nor a log outside the state's folder.
        XDG_CONFIG_HOME: state.path('config'),
        NO_COLOR: '1',
        CI: '1',
      },
    })
    return running.catch((error: Error) => {
      // The reason comes last.
      const end = error.message.split('\n').slice(-keptLines).join('\n')
      throw new LaunchError(`wrangler ${args.slice(0, 3).join(' ')} failed:\n${end}`, { cause: error })
    })
  }
  /** Without its config, wrangler would use the committed one. */
  const existing = (path: string) => {
    if (!existsSync(path)) throw new Error(`${path} is missing`)
    return path
  }
  const withConfig = () => ['--config', existing(state.path('wrangler.json'))]
  return {
    account: `/accounts/${accountId}`,
    async request<T>(method: Method, path: string, body?: unknown): Promise<T | null> {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(30_000),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (response.status === 403 || response.status === 404) return null
      const reply = (await response.json().catch(() => null)) as Envelope<T> | null
      if (reply?.success) return reply.result
      const reasons = reply?.errors?.map(({ code, message }) => `${message} (${code})`).join('; ')
      throw new LaunchError(`Cloudflare returned ${response.status} for ${method} ${path}: ${reasons ?? 'no JSON'}`)
    },
    wrangler: async (...args) => run([...args, ...withConfig()]),
    wranglerWithSecrets: async (secrets, ...args) => run([...args, ...withConfig()], JSON.stringify(secrets)),
    wranglerPages: async (...args) => {
      existing(pagesConfigPath(state))
      return run([...args, '--cwd', pagesFolder(state)])
    },
  }
}

/** Throws LaunchError unless the token can read the account, and the account has the plan that Bursar needs. */
export async function checkAccount(cloudflare: Cloudflare): Promise<string> {
  const account = await cloudflare.request<{ name: string }>('GET', cloudflare.account)
  if (!account) throw new LaunchError('the token does not reach this account: compare accountId and its permissions')
  type Subscription = { rate_plan?: { id?: string; public_name?: string } }
  const subscriptions = await cloudflare.request<Subscription[]>('GET', `${cloudflare.account}/subscriptions`)
  const plan = 'Workers Paid: hashing a password takes longer than the free plan allows'
  if (!subscriptions) return `${account.name}; its plan can’t be read with this token, and must be ${plan}`
  const names = subscriptions.map(({ rate_plan }) => `${rate_plan?.id} ${rate_plan?.public_name}`)
  if (!names.some((name) => /workers|enterprise/i.test(name)))
    throw new LaunchError(`the account ${account.name} needs the plan ${plan}`)
  return `${account.name}, Workers Paid`
}

/** Returns the id of the database with this name, which is created if there is none. */
export async function ensureD1(
  cloudflare: Cloudflare,
  name: string,
  location: string,
): Promise<{ id: string; created: boolean }> {
  type Database = { uuid: string; name: string }
  const found = await cloudflare.request<Database[]>(
    'GET',
    `${cloudflare.account}/d1/database?name=${encodeURIComponent(name)}`,
  )
  if (!found) throw new LaunchError('the token may not use D1: it needs the permission D1 Edit')
  const known = found.find((database) => database.name === name)
  if (known) return { id: known.uuid, created: false }
  const made = await cloudflare.request<Database>('POST', `${cloudflare.account}/d1/database`, {
    name,
    primary_location_hint: location,
  })
  if (!made) throw new LaunchError('the token may not create a database: it needs the permission D1 Edit')
  return { id: made.uuid, created: true }
}

/** Switches read replication on, so that reads are answered by a copy near the caller. Returns whether it was off. */
export async function ensureReplication(cloudflare: Cloudflare, databaseId: string): Promise<boolean> {
  const path = `${cloudflare.account}/d1/database/${databaseId}`
  const found = await cloudflare.request<{ read_replication?: { mode: string } }>('GET', path)
  if (found?.read_replication?.mode === 'auto') return false
  if (!(await cloudflare.request('PUT', path, { read_replication: { mode: 'auto' } })))
    throw new LaunchError('the token may not change the database: it needs the permission D1 Edit')
  return true
}

/** Creates the R2 bucket with this name unless the account has it. Returns whether it was created. */
export async function ensureBucket(cloudflare: Cloudflare, name: string, location: string): Promise<boolean> {
  const path = `${cloudflare.account}/r2/buckets`
  const noPermission = new LaunchError(
    'the token may not use R2: it needs the permission Workers R2 Storage Edit, and R2 must be switched on for the account',
  )
  const found = await cloudflare.request<{ buckets: { name: string }[] }>('GET', `${path}?name_contains=${name}`)
  if (!found) throw noPermission
  if (found.buckets.some((bucket) => bucket.name === name)) return false
  if (!(await cloudflare.request('POST', path, { name, locationHint: location }))) throw noPermission
  return true
}
