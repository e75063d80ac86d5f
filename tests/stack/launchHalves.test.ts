/**
 * The Worker and the pages in front of it, against a stand-in for Cloudflare's API. LAUNCH_LONG=1 also upgrades both with
 * wrangler itself, while one or the other fails.
 *
 * @module-tag all
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { preparePages } from '../../launch/pagesConfig.ts'
import { openCloudflare } from '../../launch/production/cloudflare.ts'
import { halves } from '../../launch/production/halves.ts'
import { checkHostname } from '../../launch/production/hostname.ts'
import { openState } from '../../launch/state.ts'
import { workerConfig } from '../../launch/workerConfig.ts'
import { bundle } from '../../local/stack/workerProcess.ts'
import { accountId, apiToken, startCloudflare } from '../support/cloudflareStandIn.ts'
import type { Deployment } from '../support/pagesStandIn.ts'

const standIn = await startCloudflare()
afterAll(standIn.stop)
const pages = standIn.pages.state
const folder = await mkdtemp(join(tmpdir(), 'bursar-launch-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const state = openState(folder)
const prepare = (publicRpcUrl: string) => preparePages(state, { worker: 'bursar', publicRpcUrl, contractSets: {} })
await prepare('https://mainnet.base.org')
beforeEach(() => void standIn.calls.splice(0))

const environment = { CLOUDFLARE_API_TOKEN: apiToken, CLOUDFLARE_API_BASE_URL: standIn.apiUrl }
/** As a new process would. */
const opened = () =>
  halves({
    cloudflare: () => openCloudflare(accountId, state, environment),
    state,
    name: 'bursar',
    origin: standIn.url,
    waiting: { pauseMs: 5, firstMs: 500, upgradeMs: 100 },
  })
/** The ids of the deployments of the pages. */
const kept = () => pages.deployments.map(({ id }) => id)
const changesMade = () => standIn.calls.filter((call) => !call.startsWith('GET ') && !call.includes('/assets/'))

describe('deployments of the pages', () => {
  const dayMs = 86_400_000
  const aged = (days: number, changes: Partial<Deployment> = {}): Deployment => ({
    id: crypto.randomUUID(),
    created_on: new Date(Date.now() - days * dayMs).toISOString(),
    environment: 'production',
    latest_stage: { name: 'deploy', status: 'success' },
    deployment_trigger: { type: 'ad_hoc', metadata: { branch: 'main', commit_message: 'Bursar 1' } },
    aliases: [],
    url: '',
    ...changes,
  })
  const failed = { latest_stage: { name: 'deploy', status: 'failure' } }
  const [rolledBack, current, before] = [aged(1), aged(2), aged(5)]
  beforeEach(() => {
    pages.project = { production_branch: 'main', deployment_configs: { production: {} } }
    pages.current = current.id
    pages.deployments = [
      rolledBack,
      current,
      aged(3, { environment: 'preview', aliases: ['https://main.bursar-web.pages.dev'] }),
      aged(4, failed),
      before,
      aged(6),
    ]
  })
  afterAll(() => {
    Object.assign(pages, { project: null, current: null, deployments: [] })
  })

  test('all but the current one and the one before are deleted before another is uploaded @launch-19', async () => {
    standIn.state.fails = (call) => call.endsWith('/upload-token')
    await expect(opened().pages()).rejects.toThrow('wrangler pages deploy')
    standIn.state.fails = () => false
    expect(kept()).toEqual([current.id, before.id])
    expect(pages.current).toBe(current.id)
  })

  test('the pages go back by themselves, once; a Worker that no launch has upgraded does not @launch-20', async () => {
    expect(await opened().rollBack('pages')).toBe(`version ${before.id} of the pages is served again`)
    expect(pages.current).toBe(before.id)
    pages.deployments = [current, before]
    expect(await opened().rollBack('pages')).toContain('there is no earlier version of the pages')
    expect(await opened().rollBack('worker')).toContain('there is no earlier version of the Worker')
    expect(changesMade()).toHaveLength(1)
  })

  test('a project with another site is refused before anything is changed @launch-21', async () => {
    const check = () => checkHostname(openCloudflare(accountId, state, environment), '127.0.0.1', 'bursar')
    expect(await check()).toBe('127.0.0.1 is free')
    const metadata = { branch: 'main', commit_message: 'fix: typo' }
    pages.deployments = [aged(1, { id: current.id, deployment_trigger: { type: 'ad_hoc', metadata } })]
    await expect(check()).rejects.toThrow('bursar-web has another site')
    pages.domains = [{ name: '127.0.0.1' }] // someone deployed to ours by hand
    expect(await check()).toBe('127.0.0.1 is free')
    pages.domains = []
    expect(changesMade()).toEqual([])
  })
})

if (process.env.LAUNCH_LONG)
  describe('an upgrade', () => {
    /** Deploys a Worker with another variable, and pages with another header. */
    async function launch(name: string) {
      const options = {
        name: 'bursar',
        accountId,
        databaseId: 'none',
        main: bundle,
        bundled: true,
        vars: { NAME: name },
      }
      state.write('wrangler.json', await workerConfig(state, options))
      await prepare(`https://${name}.example`)
      const { worker, pages, check } = opened()
      await worker({ KEK_V1: 'secret' })
      await pages()
      return check()
    }
    const served = (): [worker: string, pages: string] => [standIn.state.current!, pages.current!]
    const uploads = ['PUT /workers/scripts/bursar', 'POST /pages/projects/bursar-web/deployments']
    const uploaded = () => changesMade().filter((call) => uploads.includes(call))
    let [worker, files] = ['', '']
    beforeAll(async () => {
      await launch('first')
    })
    beforeEach(() => {
      ;[worker, files] = served()
    })
    afterEach(() => {
      Object.assign(standIn.state, { fails: () => false, isReady: () => true })
      Object.assign(pages, { isServed: () => true, succeeds: true })
    })

    test('deploys the Worker, then the pages, and keeps two deployments of the pages @launch-22', async () => {
      for (const name of ['second', 'third']) {
        const [, before] = served()
        standIn.calls.length = 0
        expect(await launch(name)).toMatchObject({ changed: true })
        expect(uploaded()).toEqual(uploads)
        expect(kept()).toEqual([pages.current, before])
        expect(await launch(name)).toMatchObject({ changed: false })
        expect(uploaded()).toEqual(uploads)
      }
    })

    test('whose Worker is not ready goes back before the pages change, and can be launched again @launch-9', async () => {
      standIn.state.isReady = ({ id }) => id === worker
      await expect(launch('not-ready')).rejects.toThrow(`version ${worker} of the Worker is served again`)
      expect(served()).toEqual([worker, files])
      expect(uploaded()).toEqual(uploads.slice(0, 1))
      standIn.state.isReady = () => true
      await launch('not-ready')
      expect(served().filter((id) => id === worker || id === files)).toEqual([])
    })

    test('whose Worker can’t be uploaded changes nothing, and can be launched again @launch-23', async () => {
      standIn.state.fails = (call) => call === uploads[0]
      await expect(launch('no-worker')).rejects.toThrow('wrangler deploy')
      expect(served()).toEqual([worker, files])
      standIn.state.fails = () => false
      await launch('no-worker')
      expect(served().filter((id) => id === worker || id === files)).toEqual([])
    })

    test.each(['not-uploaded', 'refused'])(
      'whose pages are %s keeps the new Worker, and the next launch deploys only the pages @launch-24',
      async (fault) => {
        standIn.state.fails = (call) => fault === 'not-uploaded' && call === uploads[1]
        pages.succeeds = fault !== 'refused'
        await expect(launch(fault)).rejects.toThrow('wrangler pages deploy')
        const [upgraded, kept_] = served()
        expect([upgraded === worker, kept_]).toEqual([false, files])
        standIn.state.fails = () => false
        pages.succeeds = true
        standIn.calls.length = 0
        await launch(fault)
        expect(uploaded()).toEqual(uploads.slice(1))
        expect(served()[0]).toBe(upgraded)
        expect(kept()).toEqual([pages.current, files])
      },
    )

    test('whose pages are not served goes back to those before, and keeps the new Worker @launch-25', async () => {
      pages.isServed = ({ id }) => id === files
      await expect(launch('not-served')).rejects.toThrow(`version ${files} of the pages is served again`)
      expect([served()[0] === worker, served()[1]]).toEqual([false, files])
      pages.isServed = () => true
      await launch('not-served')
      expect(kept()).toEqual([pages.current, files])
    })

    test('whose Worker fails once the pages are deployed goes back in reverse @launch-26', async () => {
      let wasServed = false
      standIn.state.isReady = ({ id }) => {
        wasServed ||= pages.current !== files
        return id === worker || !wasServed
      }
      await expect(launch('reverse')).rejects.toThrow(
        `version ${files} of the pages is served again; version ${worker} of the Worker is served again`,
      )
      expect(served()).toEqual([worker, files])
      expect(changesMade().slice(-2)).toEqual([
        `POST /pages/projects/bursar-web/deployments/${files}/rollback`,
        'POST /workers/scripts/bursar/deployments',
      ])
    })

    test('can be undone half by half, and made again @launch-27', async () => {
      await launch('undone')
      const [upgraded] = served()
      await opened().rollBack('pages')
      expect(served()).toEqual([upgraded, files])
      await opened().rollBack('worker')
      expect(served()).toEqual([worker, files])
      expect(await opened().rollBack('worker')).toContain('there is no earlier version of the Worker')
      await launch('undone')
      expect(served().filter((id) => id === worker || id === files)).toEqual([])
      expect(kept()).toEqual([pages.current, files])
    })
  })
