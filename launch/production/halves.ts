/** Deploys the Worker, then the pages in front of it, and rolls back in reverse. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pagesFolder, projectName } from '../pagesConfig.ts'
import type { State } from '../state.ts'
import { LaunchError, type Outcome } from '../steps.ts'
import type { Cloudflare } from './cloudflare.ts'
import { attachHostname } from './hostname.ts'
import { deleteOthers, deployPages, rollBackPages } from './pages.ts'
import type { Secrets } from './secrets.ts'
import { deployWorker, rollBackWorker } from './worker.ts'

export type Deployment = {
  /** Opened at the first call, because a dry run has no token. */
  cloudflare: () => Cloudflare
  state: State
  /** The Worker's name. */
  name: string
  origin: string
  waiting: Waiting
}

export type Waiting = {
  /** Pause between two checks. */
  pauseMs: number
  /** Timeout of the first deployment, which waits for the hostname's certificate. */
  firstMs: number
  upgradeMs: number
}
export const usualWaiting: Waiting = { pauseMs: 5_000, firstMs: 15 * 60_000, upgradeMs: 3 * 60_000 }

/** Checks that must succeed in a row: for some seconds the previous version still responds. */
const checksInARow = 4

export const halfNames = ['pages', 'worker'] as const
export type Half = (typeof halfNames)[number]

/** The steps of one launch. Each does only what is missing. */
export function halves({ cloudflare, state, name, origin, waiting }: Deployment) {
  const project = projectName(name)
  /** Whether the deployment was ready before this launch. If not, the cause is elsewhere, and a rollback would not help. */
  let wasReady = false
  const changed = { worker: false, pages: false }
  const inTime = `within ${waiting.upgradeMs / 60_000} minutes`
  const becomes = (check: () => Promise<boolean>) =>
    holds(check, wasReady ? waiting.upgradeMs : waiting.firstMs, waiting.pauseMs)
  const isReady = async () => (await statusOf(`${origin}/api/ready`)) === 200
  const servesPages = async () => (await textOf(origin)).includes(entryOf(state))

  return {
    async worker(secrets: Secrets): Promise<Outcome> {
      wasReady = await isReady()
      changed.worker = await deployWorker({ cloudflare: cloudflare(), state, name, secrets }, wasReady)
      if (!changed.worker) return { changed: false, note: 'this version is deployed' }
      // Before the first launch has deployed the pages, nothing leads to the Worker.
      if (!wasReady || (await becomes(isReady))) return { changed: true, note: 'uploaded' }
      throw new LaunchError(`the Worker was not ready ${inTime}; ${await rollBack('worker')}`)
    },

    async pages(): Promise<Outcome> {
      const deployed = await deployPages(cloudflare(), state, project)
      changed.pages = deployed.isNew
      const isAttached = await attachHostname(cloudflare(), new URL(origin).hostname, deployed.project)
      return { changed: changed.pages || isAttached, note: changed.pages ? 'uploaded' : 'these pages are deployed' }
    },

    /** Waits until the origin serves both halves. Otherwise undoes what this launch has deployed. */
    async check(): Promise<Outcome> {
      const isServed = async () => (await isReady()) && (await servesPages())
      const isNew = changed.worker || changed.pages
      if ((!isNew && (await isServed())) || (await becomes(isServed))) {
        const deleted = await deleteOthers(cloudflare(), project)
        return {
          changed: isNew || deleted > 0,
          note: `ready at ${origin}; deleted ${deleted} older deployments of the pages`,
        }
      }
      if (!wasReady || !isNew) throw new LaunchError(await problem())
      const report = [`${origin} did not serve the new version ${inTime}`]
      if (changed.pages) report.push(await rollBack('pages'))
      if (changed.worker && !(await becomes(isReady))) report.push(await rollBack('worker'))
      throw new LaunchError(report.join('; '))
    },

    rollBack,
  }

  /** Serves the previous version of one half again. Returns what is served now. */
  async function rollBack(half: Half): Promise<string> {
    const [what, before] =
      half === 'pages'
        ? ['pages', await rollBackPages(cloudflare(), project)]
        : ['Worker', await rollBackWorker(cloudflare(), state, name)]
    if (before) return `version ${before} of the ${what} is served again`
    return `there is no earlier version of the ${what} that could be served as it was: check out that version and launch it`
  }

  async function problem(): Promise<string> {
    if (await isReady())
      return `${origin} does not serve these pages. The custom domain of the Pages project ${project} says why.`
    return `${origin}/api/ready is not 200. Run npm run ops -- ready, which names the cause. \`wrangler tail ${name}\` shows the log. If nothing responds there, the custom domain of the Pages project ${project} says why.`
  }
}

async function holds(check: () => Promise<boolean>, withinMs: number, pauseMs: number): Promise<boolean> {
  const attempts = Math.ceil(withinMs / pauseMs)
  let inARow = 0
  for (let i = 0; i < attempts && inARow < checksInARow; i++) {
    if (i > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    inARow = (await check()) ? inARow + 1 : 0
  }
  return inARow >= checksInARow
}

/** The path of the script that index.html loads: each build has another. */
function entryOf(state: State): string {
  const page = readFileSync(join(pagesFolder(state), 'dist/index.html'), 'utf8')
  return /src="(\/assets\/[^"]+\.js)"/.exec(page)![1]!
}

async function statusOf(url: string): Promise<number | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
  await response?.body?.cancel()
  return response?.status
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
  return response?.ok ? response.text() : ''
}
