/** The deployment's hostname: a custom domain of the Pages project, and the DNS record that leads to it. */
import { projectName } from '../pagesConfig.ts'
import { LaunchError } from '../steps.ts'
import type { Cloudflare } from './cloudflare.ts'
import { findProject, isForeign, type Project } from './pages.ts'

type Domain = { name: string; status: string }
type DnsRecord = { type: string; content: string }
type Address = {
  zoneId: string
  /** Whether the DNS record leads to our project. If not, there is none. */
  isOurs: boolean
}

const permissions = 'the token needs the permissions Zone Read and DNS Edit of its zone'

/** Throws LaunchError if something else uses the hostname, or the Pages project's name. `worker` is our Worker's name. */
export async function checkHostname(cloudflare: Cloudflare, hostname: string, worker: string): Promise<string> {
  const path = `${cloudflare.account}/workers/domains?hostname=${hostname}`
  const domains = await cloudflare.request<{ hostname: string; service: string }[]>('GET', path)
  const domain = domains?.find((each) => each.hostname === hostname)
  if (domain) throw new LaunchError(`${hostname} is a domain of the Worker ${domain.service}; remove it there first`)
  const project = await findProject(cloudflare, projectName(worker))
  if (project && isForeign(project, hostname))
    throw new LaunchError(`the Pages project ${project.name} has another site; choose another name in the config`)
  const { isOurs } = await addressOf(cloudflare, hostname, project)
  return isOurs ? `${hostname} leads to ${projectName(worker)}` : `${hostname} is free`
}

/** Makes the hostname lead to the project. Returns whether anything was missing. */
export async function attachHostname(cloudflare: Cloudflare, hostname: string, project: Project): Promise<boolean> {
  const path = `${cloudflare.account}/pages/projects/${project.name}/domains`
  const domains = await cloudflare.request<Domain[]>('GET', path)
  const domain = domains?.find(({ name }) => name === hostname)
  if (!domain) await cloudflare.request('POST', path, { name: hostname })
  // Pages does not create the record itself.
  const { zoneId, isOurs } = await addressOf(cloudflare, hostname, project)
  const record = { type: 'CNAME', name: hostname, content: project.subdomain, proxied: true, ttl: 1 } // 1: automatic
  if (!isOurs && !(await cloudflare.request('POST', `/zones/${zoneId}/dns_records`, record)))
    throw new LaunchError(permissions)
  // Verifies again at once what failed before there was a record.
  if (domain && domain.status !== 'active') await cloudflare.request('PATCH', `${path}/${hostname}`, {})
  return !domain || !isOurs
}

async function addressOf(cloudflare: Cloudflare, hostname: string, project: Project | null): Promise<Address> {
  const zoneId = await findZone(cloudflare, hostname)
  const records = await cloudflare.request<DnsRecord[]>('GET', `/zones/${zoneId}/dns_records?name=${hostname}`)
  if (!records) throw new LaunchError(permissions)
  const used = records.filter(({ type }) => ['A', 'AAAA', 'CNAME'].includes(type))
  const others = used.filter(({ type, content }) => type !== 'CNAME' || content !== project?.subdomain)
  if (others.length === 0) return { zoneId, isOurs: used.length > 0 }
  const found = others.map(({ type, content }) => `${type} ${content}`).join(', ')
  throw new LaunchError(`${hostname} has DNS records (${found}) that lead elsewhere; remove them first`)
}

/** Returns the id of the zone that contains the hostname. */
async function findZone(cloudflare: Cloudflare, hostname: string): Promise<string> {
  const labels = hostname.split('.')
  for (const name of labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))) {
    const zones = await cloudflare.request<{ id: string }[]>('GET', `/zones?name=${name}`)
    if (!zones) throw new LaunchError(permissions)
    if (zones[0]) return zones[0].id
  }
  throw new LaunchError(`no zone of this account contains ${hostname}, or ${permissions}`)
}
