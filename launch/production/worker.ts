/** The Worker half: uploads a version with its secrets, and rolls back to the previous one. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { contentHash } from '../../local/tools/build.ts'
import type { State } from '../state.ts'
import type { Cloudflare } from './cloudflare.ts'
import type { Secrets } from './secrets.ts'

export type WorkerUpload = { cloudflare: Cloudflare; state: State; name: string; secrets: Secrets }

/**
 * Uploads unless the same program, config and secrets are deployed already. `isReady`: whether the deployed version is, so
 * that it is worth a rollback. Returns whether anything was uploaded.
 */
export async function deployWorker(
  { cloudflare, state, name, secrets }: WorkerUpload,
  isReady: boolean,
): Promise<boolean> {
  const content = workerHash(state, secrets)
  const before = await currentVersion(cloudflare, name)
  if (before && state.get('worker') === `${content} ${before}`) return false
  // The secrets are part of the version, so no version runs without them.
  await cloudflare.wranglerWithSecrets(secrets, 'deploy', '--secrets-file', '/dev/stdin')
  if (before && isReady) state.set('workerBefore', before)
  state.set('worker', `${content} ${await currentVersion(cloudflare, name)}`)
  return true
}

/**
 * Serves the version before the last launch again. Returns its id; null if there is none, or the Worker has changed since:
 * a rollback would also bring back the secrets of that time.
 */
export async function rollBackWorker(cloudflare: Cloudflare, state: State, name: string): Promise<string | null> {
  const [, launched] = state.get('worker')?.split(' ') ?? []
  const before = state.get('workerBefore')
  if (!before || launched !== (await currentVersion(cloudflare, name))) return null
  await cloudflare.wrangler('rollback', before, '--message', 'rolled back by a launch', '--yes')
  return before
}

/** Returns the version that gets the most traffic; null if the Worker was never deployed. */
async function currentVersion(cloudflare: Cloudflare, name: string): Promise<string | null> {
  type Deployments = { deployments: { versions: { version_id: string; percentage: number }[] }[] }
  const found = await cloudflare.request<Deployments>(
    'GET',
    `${cloudflare.account}/workers/scripts/${name}/deployments`,
  )
  const [latest] = found?.deployments ?? []
  return latest?.versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id ?? null
}

const workerHash = (state: State, secrets: Secrets): string =>
  createHash('sha256')
    .update(readFileSync(state.path('wrangler.json')))
    .update(contentHash(['.bursar/worker']))
    // The secrets include keys of 256 random bits, so the hash reveals nothing about the others.
    .update(JSON.stringify(Object.entries(secrets).sort()))
    .digest('hex')
