/** The endpoints of Cloudflare's API for one Pages project: those that a launch and `wrangler pages deploy` call. */
import type { Handler } from './cloudflareStandIn.ts'

export type Deployment = {
  id: string
  created_on: string
  environment: 'production' | 'preview'
  latest_stage: { name: string; status: string }
  deployment_trigger: { type: string; metadata: { branch: string; commit_message: string } }
  aliases: string[]
  url: string
}
/** What was uploaded. Paths of `manifest` lead to keys of assets. */
export type Upload = {
  manifest: Record<string, string>
  headers: string
  routes: { include: string[] }
  bindings: { name: string; type: string; service?: string }[]
}
type DnsRecord = { type: string; name?: string; content: string; proxied?: boolean }

const name = 'bursar-web'
const subdomain = 'bursar-web-4x7.pages.dev' // the plain name may be taken
const notFound = { status: 404, code: 8000007, message: 'Project not found.' }
const noDeployment = { status: 404, code: 8000009, message: 'The deployment ID you have specified does not exist.' }
const project = `/pages/projects/${name}`

export function pagesStandIn() {
  const assets = new Map<string, Buffer>()
  const uploads = new Map<string, Upload>()
  const state = {
    project: null as { production_branch: string; deployment_configs: unknown } | null,
    /** Newest first. */
    deployments: [] as Deployment[],
    /** The id of the deployment that the custom domain serves. */
    current: null as string | null,
    domains: [] as { name: string }[],
    dnsRecords: [] as DnsRecord[],
    /** Whether the files of a deployment are served. */
    isServed: (_: Deployment): boolean => true,
    /** Whether a new deployment succeeds. */
    succeeds: true,
  }
  const withProject =
    (reply: Handler): Handler =>
    (call) =>
      state.project ? reply(call) : notFound
  const withDeployment = (reply: (deployment: Deployment, call: Parameters<Handler>[0]) => ReturnType<Handler>) =>
    withProject((call) => {
      const deployment = state.deployments.find(({ id }) => id === call.id)
      return deployment ? reply(deployment, call) : noDeployment
    })
  const current = () => state.deployments.find(({ id }) => id === state.current) ?? null
  const projectReply = () => {
    const domains = [subdomain, ...state.domains.map((domain) => domain.name)]
    return { result: { name, subdomain, ...state.project, domains, canonical_deployment: current() } }
  }

  const hasRecord = () => state.dnsRecords.some(({ type, content }) => type === 'CNAME' && content === subdomain)

  async function deploy(form: FormData): Promise<Deployment> {
    const id = crypto.randomUUID()
    const branch = String(form.get('branch'))
    const deployment: Deployment = {
      id,
      created_on: new Date(Date.now() + state.deployments.length).toISOString(),
      environment: branch === state.project!.production_branch ? 'production' : 'preview',
      latest_stage: { name: 'deploy', status: state.succeeds ? 'success' : 'failure' },
      deployment_trigger: { type: 'ad_hoc', metadata: { branch, commit_message: String(form.get('commit_message')) } },
      aliases: [],
      url: `https://${id.slice(0, 8)}.${subdomain}`,
    }
    uploads.set(id, {
      manifest: JSON.parse(String(form.get('manifest'))),
      headers: await (form.get('_headers') as File).text(),
      routes: JSON.parse(await (form.get('_routes.json') as File).text()),
      bindings: await bindingsOf(form.get('_worker.bundle') as File),
    })
    state.deployments.unshift(deployment)
    if (state.succeeds && deployment.environment === 'production') state.current = id
    return deployment
  }

  const routes: Record<string, Handler> = {
    'POST /pages/projects': async ({ request }) => {
      const { name: _, ...settings } = (await request.json()) as { name: string } & NonNullable<typeof state.project>
      state.project = settings
      return projectReply()
    },
    [`GET ${project}`]: withProject(projectReply),
    [`GET ${project}/upload-token`]: withProject(() => ({ result: { jwt: uploadToken } })),
    'POST /pages/assets/check-missing': async ({ request }) => {
      const { hashes } = (await request.json()) as { hashes: string[] }
      return { result: hashes.filter((hash) => !assets.has(hash)) }
    },
    'POST /pages/assets/upload': async ({ request }) => {
      for (const { key, value } of (await request.json()) as { key: string; value: string }[])
        assets.set(key, Buffer.from(value, 'base64'))
      return { result: null }
    },
    'POST /pages/assets/upsert-hashes': () => ({ result: null }),
    [`GET ${project}/deployments`]: withProject(() => ({ result: state.deployments })),
    [`POST ${project}/deployments`]: withProject(async ({ request }) => ({
      result: { ...(await deploy(await request.formData())), project_name: name },
    })),
    [`GET ${project}/deployments/:id`]: withDeployment((deployment) => ({ result: deployment })),
    [`GET ${project}/deployments/:id/history/logs`]: withDeployment(() => ({
      result: { total: 1, data: [{ line: 'Error: Failed to publish your Function.' }] },
    })),
    [`POST ${project}/deployments/:id/rollback`]: withDeployment((deployment) => {
      if (deployment.environment !== 'production' || deployment.latest_stage.status !== 'success')
        return { status: 400, code: 8000035, message: 'You can only roll back to successful production deployments.' }
      state.current = deployment.id
      return { result: deployment }
    }),
    [`DELETE ${project}/deployments/:id`]: withDeployment((deployment, { query }) => {
      if (deployment.id === state.current)
        return { status: 400, code: 8000034, message: 'Cannot delete a live production deployment.' }
      if (deployment.aliases.length > 0 && query.get('force') !== 'true')
        return { status: 400, code: 8000035, message: 'Cannot delete an aliased deployment without force.' }
      state.deployments = state.deployments.filter((each) => each !== deployment)
      return { result: null }
    }),
    [`GET ${project}/domains`]: withProject(() => ({
      result: state.domains.map((domain) => ({ ...domain, status: hasRecord() ? 'active' : 'pending' })),
    })),
    [`POST ${project}/domains`]: withProject(async ({ request }) => {
      const domain = (await request.json()) as { name: string }
      state.domains.push(domain)
      return { result: { ...domain, status: 'pending' } }
    }),
    [`PATCH ${project}/domains/:id`]: withProject(({ id }) => ({
      result: state.domains.find((domain) => domain.name === id),
    })),
    'GET /zones/zone/dns_records': () => ({ result: state.dnsRecords }),
    'POST /zones/zone/dns_records': async ({ request }) => {
      state.dnsRecords.push((await request.json()) as DnsRecord)
      return { result: state.dnsRecords.at(-1) }
    },
  }

  return {
    state,
    routes,
    upload: (deployment: Deployment) => uploads.get(deployment.id)!,
    /** The deployment that a hostname serves; null unless it is a custom domain with its record. */
    servedAt(hostname: string): Deployment | null {
      const isDomain = state.domains.some((domain) => domain.name === hostname)
      return isDomain && hasRecord() ? current() : null
    },
    /** A file of a deployment; null if it is not there or not served. */
    file(deployment: Deployment, path: string): Buffer | null {
      const key = uploads.get(deployment.id)?.manifest[path]
      return (state.isServed(deployment) && key && assets.get(key)) || null
    },
  }
}

const inAnHour = Math.floor(Date.now() / 1000) + 3_600
const uploadToken = ['{}', JSON.stringify({ exp: inAnHour, max_file_count_allowed: 20_000 }), '{}']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')

/** The bindings of a function, from the form that wrangler packs it in. */
async function bindingsOf(bundle: File): Promise<Upload['bindings']> {
  const [boundary] = (await bundle.text()).split('\r\n', 1)
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary!.slice(2)}` }
  const form = await new Response(bundle, { headers }).formData()
  return (JSON.parse(String(form.get('metadata'))) as Pick<Upload, 'bindings'>).bindings
}
