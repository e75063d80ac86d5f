/** /ops as a browser sees it: pages over the services of /ops/api. */
import { describe, expect, test, vi } from 'vitest'
import { hourMs } from '#domain/time.ts'
import { createApp } from '../../worker/app.ts'
import { createOpsApi } from '../support/accessStandIn.ts'
import { createUser, env, seed } from './apiClient.ts'

await seed()
const { access, api, headers } = await createOpsApi('ops-pages')
const user = await createUser(api)
const open = async (path: string) => api.call('GET', path, { headers: await headers() })
const tokenOn = (text: string) => /name="token" value="([^"]+)"/.exec(text)![1]!

type Post = { from?: string; token?: string | null; origin?: string | null; email?: string }
/** Loads `from`, then posts its form with these fields. */
async function post(path: string, fields: Record<string, string>, { from = '/ops', ...over }: Post = {}) {
  const token = over.token === undefined ? tokenOn((await open(from)).text) : over.token
  const { origin = env.API_ORIGIN } = over
  return api.call('POST', path, {
    raw: String(new URLSearchParams({ ...(token !== null && { token }), reason: 'ticket 9', ...fields })),
    headers: {
      ...(await headers(over.email)),
      'content-type': 'application/x-www-form-urlencoded',
      ...(origin !== null && { origin }),
    },
  })
}

describe('pages', () => {
  const pages = createApp()
    .routes.filter(({ method, path }) => method === 'GET' && /^\/ops(?!\/api)/.test(path))
    .map(({ path }) => path)

  test('each operator page is HTML without script that can be neither framed nor cached @ops-pages-1', async () => {
    expect(pages.length).toBeGreaterThan(5)
    for (const path of new Set(pages)) {
      const page = await open(path.replace(':userId', user.id).replace(/\/$/, ''))
      expect([path, page.status]).toEqual([path, 200])
      expect(page.headers.get('content-type')).toContain('text/html')
      expect(page.headers.get('cache-control')).toBe('no-store')
      const policy = page.headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("form-action 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(page.text).not.toMatch(/<script|\son\w+=|style="/)
    }
  })

  test('operator pages escape what people wrote @ops-pages-2', async () => {
    await post('/ops/passcodes', { label: '<img src=x>', maxUses: '1', expiresInDays: '', reason: '<b>why</b>' })
    for (const path of ['/ops/passcodes', '/ops/actions']) expect((await open(path)).text).not.toMatch(/<img|<b>why/)
    const found = await open(`/ops/users?find=${encodeURIComponent('"><script>')}`)
    expect([found.status, found.text.includes('<script')]).toEqual([200, false])
  })

  test('errors of operator pages are HTML pages, and reveal nothing to strangers @ops-pages-3', async () => {
    const missing = await open('/ops/users/user_nobody')
    expect([missing.status, missing.text.includes('There is no account with this id.')]).toEqual([404, true])
    const stranger = await api.call('GET', '/ops/users')
    expect([stranger.status, stranger.text.includes('Accounts')]).toEqual([401, false])
    expect((await api.call('GET', '/ops')).status).toBe(401)
  })
})

describe('forms', () => {
  const newestAct = async () => (await api.call('GET', '/ops/api/actions', { headers: await headers() })).json.data[0]

  test('stopping, suspending, limiting, waking and reading an audit log work through their forms and are recorded @ops-pages-4', async () => {
    const page = `/ops/users/${user.id}`
    const steps: [string, Record<string, string>, string, string][] = [
      ['/ops/stop', { mode: 'new', from: 'none' }, '/ops', 'service.stop'],
      ['/ops/stop', { mode: 'none', from: 'new' }, '/ops', 'service.resume'],
      [`${page}/suspend`, {}, page, 'user.suspend'],
      [`${page}/unsuspend`, {}, page, 'user.unsuspend'],
      [`${page}/limits`, { name: 'emailsPerDay', value: '3' }, page, 'user.limits'],
      [`${page}/limits`, { name: 'emailsPerDay', value: '' }, page, 'user.limits'],
      [`${page}/wake`, {}, page, 'user.wake'],
    ]
    for (const [path, fields, from, action] of steps) {
      const sent = await post(path, fields, { from })
      expect([path, sent.status, sent.headers.get('location')], sent.text).toEqual([path, 303, `${from}?done=1`])
      expect(await newestAct()).toMatchObject({ action, reason: 'ticket 9', actor: 'olga@bursar.example' })
    }
    expect((await open('/ops')).text).toContain('Nothing is stopped.')
    const audit = await post(`${page}/audit`, {}, { from: page })
    expect([audit.status, audit.text.includes('account.suspended')]).toEqual([200, true])
    expect((await post('/ops/claim-links/take-down', { payout: 'nothing' })).status).toBe(404)
  })

  test('a signup passcode is created, shown once and revoked through forms @ops-pages-5', async () => {
    const made = await post('/ops/passcodes', { label: 'Friends', maxUses: '2', expiresInDays: '' })
    const code = /<code>((?:[a-z0-9]{4}-){3}[a-z0-9]{4})<\/code>/.exec(made.text)![1]!
    const list = await open('/ops/passcodes')
    expect(list.text).not.toContain(code)
    const { subject: id } = await newestAct()
    expect((await post('/ops/passcodes/revoke', { id })).status).toBe(303)
    expect((await post('/ops/passcodes', { label: 'x', maxUses: 'many', expiresInDays: '' })).status).toBe(400)
  })

  const posts = createApp()
    .routes.filter(({ method, path }) => method === 'POST' && /^\/ops(?!\/api)/.test(path))
    .map(({ path }) => path)
  test('each form is refused without our origin and a token made for this operator @ops-pages-6', async () => {
    expect(posts.length).toBeGreaterThan(8)
    const before = (await newestAct()).id
    const token = tokenOn((await open('/ops')).text)
    const [until, hash] = token.split('.') as [string, string]
    for (const path of new Set(posts)) {
      const to = path.replace(':userId', user.id)
      const fields = { mode: 'all', from: 'none', name: 'emailsPerDay', value: '1', payout: 'x', label: 'x', id: 'x' }
      for (const wrong of [
        { origin: null },
        { origin: 'null' },
        { origin: 'https://evil.example' },
        { token: null },
        { token: '' },
        { token: `${Number(until) + 1}.${hash}` },
        { token, email: 'otto@bursar.example' },
      ])
        expect([to, wrong, (await post(to, fields, wrong)).status]).toEqual([to, wrong, 403])
    }
    api.clock.now += 12 * hourMs
    // The Access keys are read again after this time.
    access.serveKeys()
    expect((await post('/ops/stop', { mode: 'all' }, { token })).status).toBe(403)
    vi.restoreAllMocks()
    expect((await newestAct()).id).toBe(before)
  })
})
