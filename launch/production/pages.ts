/** The Pages project, which has the SPA and forwards the Worker's paths to the Worker. */
import { pagesVersion } from '../pagesConfig.ts'
import type { State } from '../state.ts'
import { LaunchError } from '../steps.ts'
import type { Cloudflare } from './cloudflare.ts'

export type Project = {
  name: string
  /** Its own hostname, such as bursar-web.pages.dev. */
  subdomain: string
  production_branch: string
  domains: string[]
  /** What the custom domain serves. */
  canonical_deployment: Deployment | null
}

type Deployment = {
  id: string
  /** ISO 8601 */
  created_on: string
  environment: 'production' | 'preview'
  latest_stage: { name: string; status: string }
  deployment_trigger: { metadata: { commit_message: string } }
}

const projectPath = (cloudflare: Cloudflare, name: string) => `${cloudflare.account}/pages/projects/${name}`

export const findProject = (cloudflare: Cloudflare, name: string): Promise<Project | null> =>
  cloudflare.request<Project>('GET', projectPath(cloudflare, name))

/** Uploads the folder of the project, unless it is deployed already. The project is created if there is none. */
export async function deployPages(
  cloudflare: Cloudflare,
  state: State,
  name: string,
): Promise<{ project: Project; isNew: boolean }> {
  const project = (await findProject(cloudflare, name)) ?? (await createProject(cloudflare, name))
  const message = `${messagePrefix}${pagesVersion(state)}`
  if (messageOf(project) === message) return { project, isNew: false }
  // One that was rolled back must not count as the deployment before the new one.
  await deleteOthers(cloudflare, name)
  await cloudflare.wranglerPages('pages', 'deploy', '--branch', project.production_branch, '--commit-message', message)
  return { project, isNew: true }
}

/** The message of a deployment says which files it has, so a launch needs no record of it. */
const messagePrefix = 'Bursar '
const messageOf = (project: Project) => project.canonical_deployment?.deployment_trigger.metadata.commit_message

/** Whether the project serves something that no launch has deployed, elsewhere than at `hostname`. */
export const isForeign = (project: Project, hostname: string): boolean =>
  messageOf(project)?.startsWith(messagePrefix) === false && !project.domains.includes(hostname)

async function createProject(cloudflare: Cloudflare, name: string): Promise<Project> {
  const made = await cloudflare.request<Project>('POST', `${cloudflare.account}/pages/projects`, {
    name,
    production_branch: 'main',
    // If the function can't run, its paths must not be answered with the SPA.
    deployment_configs: { production: { fail_open: false } },
  })
  if (!made) throw new LaunchError('the token may not use Pages: it needs the permission Cloudflare Pages Edit')
  return made
}

/** Serves the deployment before the current one again. Returns its id; null if there is none. */
export async function rollBackPages(cloudflare: Cloudflare, name: string): Promise<string | null> {
  const { before } = await deploymentsOf(cloudflare, name)
  if (!before) return null
  const path = `${projectPath(cloudflare, name)}/deployments/${before.id}/rollback`
  return (await cloudflare.request('POST', path)) ? before.id : null
}

/**
 * Deletes all deployments but the current one and the one before, because each keeps its own address. Returns how many
 * there were.
 */
export async function deleteOthers(cloudflare: Cloudflare, name: string): Promise<number> {
  const { others } = await deploymentsOf(cloudflare, name)
  for (const { id } of others)
    await cloudflare.request('DELETE', `${projectPath(cloudflare, name)}/deployments/${id}?force=true`)
  return others.length
}

/** `before` is what the custom domain served before the current deployment; `others` are the rest, of any branch. */
async function deploymentsOf(cloudflare: Cloudflare, name: string) {
  const current = (await findProject(cloudflare, name))?.canonical_deployment ?? null
  const all = (await cloudflare.request<Deployment[]>('GET', `${projectPath(cloudflare, name)}/deployments`)) ?? []
  const [before = null] = all
    .filter(({ environment, latest_stage }) => environment === 'production' && latest_stage.status === 'success')
    .filter(({ created_on }) => current && created_on < current.created_on)
    .sort((a, b) => b.created_on.localeCompare(a.created_on))
  return { before, others: all.filter(({ id }) => id !== current?.id && id !== before?.id) }
}
