/** Uploads a version of the Worker with its secrets, and rolls back to the previous one if it does not become ready. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../local/tools/runTool.ts'
import type { State } from '../state.ts'
import { LaunchError, type Outcome } from '../steps.ts'
import type { Cloudflare } from './cloudflare.ts'
import type { Secrets } from './secrets.ts'

export type DeployOptions = {
  cloudflare: Cloudflare
  state: State
  name: string
  origin: string
  secrets: Secrets
  waiting: Waiting
}

export type Waiting = {
  /** Pause between two checks of /api/ready. */
  pauseMs: number
  /** Timeout of the first deployment, which waits for the hostname's certificate. */
  firstMs: number
  upgradeMs: number
}
export const usualWaiting: Waiting = { pauseMs: 5_000, firstMs: 15 * 60_000, upgradeMs: 3 * 60_000 }

/** Checks that must succeed in a row: for some seconds the previous version still responds. */
const checksInARow = 4

/** Does nothing if the same program, pages, config and secrets are already deployed and ready. */
export async function deploy(options: DeployOptions): Promise<Outcome> {
  const { cloudflare, state, name, origin, secrets, waiting } = options
  const version = contentHash(state, secrets)
  const wasReady = await isReady(origin)
  if (wasReady && state.get('deployed') === version)
    return { changed: false, note: `this version is ready at ${origin}` }

  // There is no point in a rollback to a version that is not ready, or whose certificate is still being issued.
  const before = wasReady ? await currentVersion(cloudflare, name) : null
  await upload(cloudflare, state, secrets)
  if (await becomesReady(origin, before ? waiting.upgradeMs : waiting.firstMs, waiting.pauseMs)) {
    state.set('deployed', version)
    return { changed: true, note: `ready at ${origin}` }
  }
  if (!before)
    throw new LaunchError(
      `${origin}/api/ready is not 200. Sign in at ${origin}/ops/api/ready, which names the cause. \`wrangler tail ${name}\` shows the log.`,
    )
  await cloudflare.wrangler('rollback', before, '--message', '/api/ready failed', '--yes')
  throw new LaunchError(
    `the new version was not ready within ${waiting.upgradeMs / 60_000} minutes; version ${before} serves again`,
  )
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

/** Uploads the secrets with the version, so that none runs without them. They are on disk only while wrangler reads them. */
async function upload(cloudflare: Cloudflare, state: State, secrets: Secrets): Promise<void> {
  const path = state.path('secrets.upload.json')
  try {
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 })
    await cloudflare.wrangler('deploy', '--secrets-file', path)
  } finally {
    rmSync(path, { force: true })
  }
}

async function becomesReady(origin: string, withinMs: number, pauseMs: number): Promise<boolean> {
  const attempts = Math.ceil(withinMs / pauseMs)
  let inARow = 0
  for (let i = 0; i < attempts && inARow < checksInARow; i++) {
    if (i > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    inARow = (await isReady(origin)) ? inARow + 1 : 0
  }
  return inARow >= checksInARow
}

async function isReady(origin: string): Promise<boolean> {
  const response = await fetch(`${origin}/api/ready`, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
  await response?.body?.cancel()
  return response?.status === 200
}

function contentHash(state: State, secrets: Secrets): string {
  const hash = createHash('sha256').update(readFileSync(state.path('wrangler.json')))
  for (const folder of [join(root, '.bursar/worker'), state.path('pages')])
    for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) {
      const path = join(folder, name)
      if (statSync(path).isFile()) hash.update(name).update('\0').update(readFileSync(path))
    }
  // The secrets include keys of 256 random bits, so the hash reveals nothing about the others.
  return hash.update(JSON.stringify(Object.entries(secrets).sort())).digest('hex')
}
