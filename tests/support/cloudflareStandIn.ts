/**
 * The parts of Cloudflare's API that a launch and wrangler call, on the loopback interface, with D1 in SQLite. It also serves
 * what the deployment would: the files of the current Pages deployment, and through its binding /api/ready and /api/config of
 * the current Worker. Calls are recorded as "METHOD path", without the account's prefix.
 */
import { DatabaseSync } from 'node:sqlite'
import { serveLocally } from '../../local/standIns/server.ts'
import { parseContractSets } from '../../worker/chain/contractSets.ts'
import type { ContractSets } from '../../worker/chain/types.ts'
import { pagesStandIn } from './pagesStandIn.ts'

export const accountId = '0123456789abcdef0123456789abcdef'
export const apiToken = 'token-of-the-test'

type Metadata = { bindings: { name: string; type: string; text?: string }[] } & Record<string, unknown>
type Version = { id: string; metadata: Metadata }
type Reply = { result?: unknown; status?: number; code?: number; message?: string }
type Request_ = { id: string; query: URLSearchParams; request: Request }
export type Handler = (call: Request_) => Reply | Promise<Reply>

const maxUpload = 20_000_000 // bytes

export async function startCloudflare() {
  const calls: string[] = []
  const databases: { uuid: string; name: string; db: DatabaseSync; read_replication: { mode: string } }[] = []
  const buckets: string[] = []
  const versions: Version[] = []
  /** Secrets given to the active version after its upload. */
  const replacedSecrets: Record<string, string> = {}
  const pages = pagesStandIn()
  const state = {
    /** The active version; null before the first deployment. */
    current: null as string | null,
    /** Whether a version becomes ready. */
    isReady: (_: Version): boolean => true,
    /** Calls that fail. */
    fails: (_: string): boolean => false,
    /** Workers that use the hostname. */
    domains: [] as { hostname: string; service: string }[],
    plans: ['workers_paid'],
  }
  const noWorker: Reply = { status: 404, code: 10007, message: 'This Worker does not exist on your account.' }
  const ifDeployed =
    (reply: Handler): Handler =>
    (call) =>
      state.current === null ? noWorker : reply(call)

  /** ':id' matches one segment of the path, which the handler gets as `id`. */
  const routes: Record<string, Handler> = {
    'GET ': () => ({ result: { id: accountId, name: 'Test account' } }),
    'GET /subscriptions': () => ({ result: state.plans.map((id) => ({ rate_plan: { id } })) }),
    'GET /zones': ({ query }) => ({ result: query.get('name') === '127.0.0.1' ? [{ id: 'zone' }] : [] }),
    ...pages.routes,
    'GET /workers/domains': () => ({ result: state.domains }),

    'GET /d1/database': () => ({ result: databases.map(({ uuid, name }) => ({ uuid, name })) }),
    'POST /d1/database': async ({ request }) => {
      const { name } = (await request.json()) as { name: string }
      const database = {
        uuid: crypto.randomUUID(),
        name,
        db: new DatabaseSync(':memory:'),
        read_replication: { mode: 'disabled' },
      }
      databases.push(database)
      return { result: { uuid: database.uuid, name } }
    },
    'GET /d1/database/:id': ({ id }) => {
      const { uuid, name, read_replication } = databases.find(({ uuid }) => uuid === id)!
      return { result: { uuid, name, read_replication } }
    },
    'PUT /d1/database/:id': async ({ id, request }) => {
      const database = databases.find(({ uuid }) => uuid === id)!
      Object.assign(database, await request.json())
      return { result: { uuid: id } }
    },
    'POST /d1/database/:id/query': async ({ id, request }) => {
      const { db } = databases.find(({ uuid }) => uuid === id)!
      return { result: execute(db, (await request.json()) as Query | { batch: Query[] }) }
    },

    'GET /r2/buckets': () => ({ result: { buckets: buckets.map((name) => ({ name })) } }),
    'GET /r2/buckets/:id': ({ id }) =>
      buckets.includes(id)
        ? { result: { name: id } }
        : { status: 404, code: 10006, message: 'The specified bucket does not exist.' },
    'POST /r2/buckets': async ({ request }) => {
      const { name } = (await request.json()) as { name: string }
      buckets.push(name)
      return { result: { name } }
    },

    'GET /workers/services/:id': ifDeployed(() => ({
      result: { default_environment: { environment: 'production', script: { last_deployed_from: 'wrangler' } } },
    })),
    'GET /workers/workers/:id': () => ({ result: { subdomain: { enabled: false, previews_enabled: false } } }),
    'GET /workers/scripts/:id/settings': ifDeployed(() => ({ result: { bindings: [] } })),
    'GET /workers/scripts/:id/secrets': ifDeployed(() => ({ result: [] })),
    'GET /workers/scripts/:id/deployments': ifDeployed(() => ({
      result: { deployments: [{ id: 'deployment', versions: [{ version_id: state.current, percentage: 100 }] }] },
    })),
    'GET /workers/scripts/bursar/versions/:id': ({ id }) => {
      const version = versions.find((each) => each.id === id)
      return version
        ? { result: { id, number: 1, metadata: {}, resources: { bindings: [], script: {}, script_runtime: {} } } }
        : noWorker
    },
    'POST /workers/scripts/:id/deployments': async ({ request }) => {
      const { versions } = (await request.json()) as { versions: { version_id: string }[] }
      state.current = versions[0]!.version_id
      return { result: { id: 'deployment' } }
    },
    'PUT /workers/scripts/:id': async ({ request }) => {
      const form = await request.formData()
      const version = { id: crypto.randomUUID(), metadata: JSON.parse(String(form.get('metadata'))) as Metadata }
      versions.push(version)
      state.current = version.id
      return { result: { id: 'bursar', deployment_id: version.id, startup_time_ms: 10 } }
    },
    'PATCH /workers/scripts/:id/secrets-bulk': async ({ request }) => {
      const { secrets } = (await request.json()) as { secrets: Record<string, { text: string }> }
      for (const [name, { text }] of Object.entries(secrets)) replacedSecrets[name] = text
      return { result: {} }
    },
    'PUT /workers/scripts/:id/schedules': () => ({ result: { schedules: [] } }),
    'POST /workers/scripts/:id/subdomain': () => ({ result: { enabled: false, previews_enabled: false } }),
  }

  /** The contracts that a version reports to browsers. */
  const chainsOf = (id: string | null) => {
    const { bindings = [] } = versions.find((version) => version.id === id)?.metadata ?? {}
    const settings = bindings.filter(({ name }) => name.startsWith('CONTRACTS_'))
    return Object.fromEntries(
      settings.map(({ name, text }) => {
        const { newest, sets } = parseContractSets(text!) as ContractSets
        return [name.replace('CONTRACTS_', ''), { contracts: sets[newest] ?? {}, contractSets: sets }]
      }),
    )
  }

  /** What a visitor of the hostname gets. */
  function served({ hostname, pathname }: URL): Response {
    const deployment = pages.servedAt(hostname)
    if (!deployment) return new Response(null, { status: 522 })
    const { routes, bindings } = pages.upload(deployment)
    const isForwarded = routes.include.some((rule) => new RegExp(`^${rule.replace('*', '.*')}$`).test(pathname))
    if (!isForwarded) {
      const file = pages.file(deployment, pathname === '/' ? '/index.html' : pathname)
      return new Response(file && new Uint8Array(file), { status: file ? 200 : 404 })
    }
    const isBound = bindings.some(({ name, service }) => name === 'API' && service === 'bursar')
    const version = isBound ? versions.find(({ id }) => id === state.current) : undefined
    if (!version) return new Response(null, { status: 500 })
    if (pathname === '/api/config') return Response.json({ data: { chains: chainsOf(version.id) } })
    return new Response(null, { status: state.isReady(version) ? 200 : 503 })
  }

  const server = await serveLocally(
    0,
    async (request) => {
      const { pathname, searchParams: query } = new URL(request.url)
      if (!pathname.startsWith('/client/')) return served(new URL(request.url))
      const path = pathname.replace('/client/v4', '').replace(`/accounts/${accountId}`, '')
      calls.push(`${request.method} ${path}`)
      // Files are uploaded with a token of their own.
      if (request.headers.get('authorization') !== `Bearer ${apiToken}` && !path.startsWith('/pages/assets/'))
        return asResponse({ status: 403, code: 10000, message: 'Authentication error' })
      if (state.fails(`${request.method} ${path}`))
        return asResponse({ status: 500, code: 10001, message: 'Internal error' })
      for (const [route, handle] of Object.entries(routes)) {
        const match = new RegExp(`^${route.replace(':id', '([^/]+)')}$`).exec(`${request.method} ${path}`)
        if (match) return asResponse(await handle({ id: match[1] ?? '', query, request }))
      }
      return asResponse({ status: 404, code: 7003, message: `The stand-in has no ${request.method} ${path}` })
    },
    maxUpload,
  )
  const apiUrl = `${server.url}/client/v4`
  return { url: server.url, apiUrl, calls, databases, versions, replacedSecrets, state, pages, stop: server.stop }
}
export type CloudflareStandIn = Awaited<ReturnType<typeof startCloudflare>>

type Query = { sql: string; params?: (string | number | null)[] }

function execute(db: DatabaseSync, query: Query | { batch: Query[] }) {
  return ('batch' in query ? query.batch : [query]).map(({ sql, params = [] }) => {
    // Several statements at once, as in migrations.
    if (params.length === 0 && !/^\s*(SELECT|PRAGMA)/i.test(sql)) {
      db.exec(sql)
      return { success: true, results: [], meta: {} }
    }
    return { success: true, results: db.prepare(sql).all(...params), meta: {} }
  })
}

function asResponse({ result = null, status = 200, code, message }: Reply): Response {
  const errors = code === undefined ? [] : [{ code, message }]
  return Response.json({ success: status < 400, result, errors, messages: [] }, { status })
}
