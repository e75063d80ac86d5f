import { base64url, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { createApp } from '../../worker/app.ts'
import type { Env } from '../../worker/env.ts'
import { accessSettings, createAccess, newKeys } from '../support/accessStandIn.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { createApi, env, login, newEmail, passcode } from './apiClient.ts'

const user = await createAccountFixture(await createTestApp())
const access = await createAccess()
const api = createApi(accessSettings)
beforeEach(() => void access.serveKeys())
afterEach(() => vi.restoreAllMocks())

type Call = { body?: unknown; token?: string; headers?: Record<string, string>; env?: Partial<Env> }
async function call(method: string, path: string, { token, headers, ...rest }: Call = {}) {
  const assertion = token ?? (await access.token(api.clock.now))
  return api.call(method, `/ops/api${path}`, { headers: { 'cf-access-jwt-assertion': assertion, ...headers }, ...rest })
}

describe('operator authentication', () => {
  const routes = createApp()
    .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/ops/'))
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'x') }))

  test.each(routes)('$method $path is for operators only @operators-1', async ({ method, path }) => {
    const body = method === 'GET' ? {} : { body: { reason: 'because' } }
    const now = api.clock.now
    const stranger = await newKeys('first')
    const strangers: [string, Record<string, string>][] = [
      ['nobody', {}],
      ['a user', { authorization: `Bearer ${user.token}` }],
      ['a user’s token as assertion', { 'cf-access-jwt-assertion': user.token }],
      ['an agent', { authorization: `Bearer ${user.apiKey}` }],
      ['a cookie', { cookie: `CF_Authorization=${await access.token(now)}` }],
      ['an email address', { 'cf-access-authenticated-user-email': 'olga@bursar.example' }],
      ['another signer', { 'cf-access-jwt-assertion': await access.token(now, {}, stranger) }],
    ]
    for (const [who, headers] of strangers) {
      const reply = await api.call(method, path, { headers, ...body })
      expect([who, reply.status]).toEqual([who, 401])
    }
    expect((await api.call(method, path, { env: { ACCESS_AUDIENCE: '' }, ...body })).status).toBe(401)
  })
  test('only a local stack accepts the header of a local operator @operators-6', async () => {
    const local = { ENVIRONMENT: 'local', ACCESS_TEAM_ORIGIN: '', ACCESS_AUDIENCE: '' } as const
    const headers = { 'cf-access-client-id': 'local' }
    expect((await api.call('GET', '/ops/api/stop', { env: local })).status).toBe(401)
    expect((await api.call('GET', '/ops/api/stop', { headers, env: local })).status).toBe(200)
    for (const ENVIRONMENT of ['production', 'test'] as const)
      expect((await api.call('GET', '/ops/api/stop', { headers, env: { ...local, ENVIRONMENT } })).status).toBe(401)
  })
  test('the app has operator routes to check', () => expect(routes.length).toBeGreaterThan(5))

  test.each<[string, (now: number) => Promise<string> | string]>([
    ['expired', (now) => access.token(now - 3_601_000)],
    ['not valid yet', (now) => access.token(now, { nbf: Math.floor(now / 1000) + 60 })],
    ['for another application', (now) => access.token(now, { aud: ['other'] })],
    ['for no application', (now) => access.token(now, { aud: [] })],
    ['of another team', (now) => access.token(now, { iss: 'https://other.cloudflareaccess.com' })],
    ['without an expiry', (now) => access.token(now, { exp: undefined } as never)],
    ['without an identity', (now) => access.token(now, { email: '' })],
    [
      'unsigned',
      async (now) => {
        const [, payload] = (await access.token(now)).split('.')
        return `${base64url.encode(JSON.stringify({ alg: 'none', kid: 'first' }))}.${payload}.`
      },
    ],
    [
      'signed with the public key as secret',
      async (now) => {
        const secret = new TextEncoder().encode(JSON.stringify(access.publicKey()))
        const claims = {
          iss: accessSettings.ACCESS_TEAM_ORIGIN,
          aud: accessSettings.ACCESS_AUDIENCE,
          email: 'olga@x.example',
        }
        const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' })
        return token
          .setIssuedAt(new Date(now))
          .setExpirationTime(new Date(now + 1e6))
          .sign(secret)
      },
    ],
    ['altered', async (now) => (await access.token(now)).replace(/\.[^.]+\./, '.e30.')],
    ['not a token', () => 'x.y.z'],
  ])('a token that is %s is refused @operators-2', async (_, make) => {
    expect((await call('GET', '/passcodes', { token: await make(api.clock.now) })).status).toBe(401)
  })

  test('a service token acts as an operator under its client id', async () => {
    const token = await access.token(api.clock.now, { email: undefined, common_name: 'launch.access' } as never)
    const body = { label: 'From the command line', maxUses: 1, expiresInDays: 1, reason: 'first account' }
    expect((await call('POST', '/passcodes', { token, body })).status).toBe(201)
    expect((await call('GET', '/actions')).json.data[0]).toMatchObject({ actor: 'service:launch.access' })
  })

  test('new Access keys are read once a token needs them; unreachable keys give a 503', async () => {
    expect((await call('GET', '/passcodes')).status).toBe(200)
    await access.rotateKeys('second')
    api.clock.now += 31_000
    expect((await call('GET', '/passcodes')).status).toBe(200)
    const requests = access.serveKeys(() => new Response('', { status: 502 }))
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    api.clock.now += 11 * minuteMs
    expect((await call('GET', '/passcodes')).status).toBe(503)
    expect(requests).not.toEqual([])
  })

  test('requests from pages of other sites are refused @operators-7', async () => {
    const body = { label: 'x', maxUses: null, expiresInDays: null, reason: 'x' }
    for (const origin of ['https://evil.example', 'null'])
      expect((await call('POST', '/passcodes', { body, headers: { origin } })).status).toBe(403)
    const own = { origin: env.API_ORIGIN }
    expect((await call('POST', '/passcodes', { body, headers: own })).status).toBe(201)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await call('POST', '/passcodes', { body, headers: form })).status).toBe(400)
  })
})

describe('sign-up', () => {
  const withPassword = (over: object = {}, mode?: Env['SIGN_UP']) =>
    api.call('POST', '/api/auth/cognito/signup', {
      body: { email: newEmail(), name: 'Ann', password: 'a long password', ...over },
      from: `198.51.100.${++callers}`,
      env: mode ? { SIGN_UP: mode } : {},
    })
  const withPasscode = (signupPasscode: string, mode?: Env['SIGN_UP']) =>
    api.call('POST', '/api/users', {
      body: { email: newEmail(), name: 'Ann', signupPasscode },
      from: `198.51.100.${++callers}`,
      env: mode ? { SIGN_UP: mode } : {},
    })
  let callers = 0

  test('sign-up is open, by passcode or closed for every way of signing up @sign-up-1', async () => {
    expect((await withPassword({}, 'open')).status).toBe(201)
    expect((await withPasscode(passcode, 'open')).status).toBe(201)
    expect((await withPasscode('wrong', 'open')).status).toBe(422)

    expect((await withPasscode(passcode, 'passcode')).status).toBe(201)
    expect((await withPassword({ signupPasscode: passcode }, 'passcode')).status).toBe(201)
    for (const over of [{}, { signupPasscode: '' }, { signupPasscode: 'wrong' }]) {
      const refused = await withPassword(over, 'passcode')
      expect([refused.status, refused.json.field]).toEqual([422, 'signupPasscode'])
    }

    const closed = [await withPassword({ signupPasscode: passcode }, 'closed'), await withPasscode(passcode, 'closed')]
    for (const refused of closed) expect([refused.status, refused.json.error]).toEqual([403, 'Sign-up is closed.'])
  })

  test('sign-up needs a passcode in production unless the setting says otherwise @sign-up-2', async () => {
    const production = { ENVIRONMENT: 'production' } as const
    const config = async (changes: Partial<Env>) => (await api.call('GET', '/api/config', { env: changes })).json.data
    expect(await config(production)).toMatchObject({ signUp: 'passcode' })
    expect(await config({ ...production, SIGN_UP: 'open' })).toMatchObject({ signUp: 'open' })
    expect(await config({})).toMatchObject({ signUp: 'open' })
  })

  test('a failed sign-up gives its passcode back', async () => {
    const { id, passcode: once } = (await create({ maxUses: 1 })).json.data
    const common = await withPassword({ signupPasscode: once, password: 'password1' }, 'passcode')
    expect(common.status, common.text).toBe(400)
    expect(await find(id)).toMatchObject({ used: 0, state: 'active' })
    expect((await withPassword({ signupPasscode: once }, 'passcode')).status).toBe(201)
    expect(await find(id)).toMatchObject({ used: 1, state: 'used_up' })
  })

  test('sign-up with wrong passcodes is rate limited', async () => {
    const guess = () =>
      api.call('POST', '/api/auth/cognito/signup', {
        body: { email: newEmail(), name: 'Ann', password: 'a long password', signupPasscode: 'guess' },
        from: '203.0.113.50',
        env: { SIGN_UP: 'passcode' },
      })
    const statuses = []
    for (let i = 0; i < 12; i++) statuses.push((await guess()).status)
    expect(statuses).toEqual([...Array(10).fill(422), 429, 429])
  })

  test('closed sign-up does not affect existing accounts', async () => {
    const email = newEmail()
    const { json } = await api.call('POST', '/api/users', { body: { email, name: 'Ann', signupPasscode: passcode } })
    expect(json.success).toBe(true)
    const reply = await createApi({ SIGN_UP: 'closed' }).call('POST', '/api/auth/cognito/login', {
      body: { email, password: 'wrong' },
    })
    expect(reply.status).toBe((await login(api, email, 'wrong')).status)
  })

  async function create(over: object) {
    const body = { label: 'Friends', maxUses: null, expiresInDays: null, reason: 'beta', ...over }
    const created = await call('POST', '/passcodes', { body })
    expect(created.status, created.text).toBe(201)
    return created
  }
  const find = async (id: string) =>
    (await call('GET', '/passcodes')).json.data.passcodes.find((entry: { id: string }) => entry.id === id)

  test('signup passcodes are created, listed, limited by number and time, and revoked @sign-up-3', async () => {
    const { id, passcode: code } = (await create({ maxUses: 2, expiresInDays: 7 })).json.data
    expect((await withPasscode(code)).status).toBe(201)
    expect(await find(id)).toMatchObject({ label: 'Friends', used: 1, maxUses: 2, state: 'active' })
    expect(JSON.stringify(await find(id))).not.toContain(code)

    const limit = (change: object) => call('PATCH', `/passcodes/${id}`, { body: { ...change, reason: 'fewer' } })
    expect((await limit({ maxUses: 1 })).json.data.state).toBe('used_up')
    expect((await withPasscode(code)).status).toBe(422)
    expect((await limit({ maxUses: null })).json.data.state).toBe('active')
    expect((await withPasscode(code)).status).toBe(201)
    expect((await limit({ expiresInDays: 1 })).status).toBe(200)
    api.clock.now += dayMs
    expect(await find(id)).toMatchObject({ state: 'expired' })
    expect((await withPasscode(code)).status).toBe(422)
    expect((await limit({ expiresInDays: null })).json.data.state).toBe('active')
    expect((await limit({})).status).toBe(400)

    const revoked = await call('POST', `/passcodes/${id}/revoke`, { body: { reason: 'leaked' } })
    expect(revoked.json.data.state).toBe('revoked')
    expect((await withPasscode(code)).status).toBe(422)
    expect((await limit({ maxUses: 5 })).status).toBe(404)
  })

  test('each operator action is recorded with its actor and reason, and records cannot be changed @operators-3', async () => {
    const { id, passcode: code } = (await create({ label: 'Recorded', reason: 'ticket 12' })).json.data
    await call('POST', `/passcodes/${id}/revoke`, { body: { reason: 'ticket 13' } })
    const [last, before] = (await call('GET', '/actions')).json.data
    expect(last).toMatchObject({
      actor: 'olga@bursar.example',
      action: 'passcode.revoke',
      subject: id,
      reason: 'ticket 13',
    })
    expect(before).toMatchObject({ action: 'passcode.create', subject: id, reason: 'ticket 12' })
    expect(JSON.stringify([last, before])).not.toContain(code)
    for (const sql of ["UPDATE operator_action SET actor = 'x'", 'DELETE FROM operator_action'])
      await expect(env.DB.prepare(sql).run()).rejects.toThrow('append-only')
  })

  test.each([{}, { reason: '' }, { reason: '  ' }, { reason: 'x'.repeat(501) }, { reason: 5 }])(
    'an operator action with %j instead of a reason is refused',
    async (body) => {
      expect((await call('POST', '/passcodes/x/revoke', { body })).status).toBe(400)
    },
  )
  test.each([
    { maxUses: 0 },
    { maxUses: 1.5 },
    { maxUses: '3' },
    { expiresInDays: -1 },
    { label: '' },
    { maxUses: undefined },
  ])('creating a signup passcode with %j is refused', async (over) => {
    const body = { label: 'x', maxUses: null, expiresInDays: null, reason: 'x', ...over }
    expect((await call('POST', '/passcodes', { body })).status).toBe(400)
  })

  test('when two operators revoke a passcode at the same time, one succeeds and both attempts are recorded @operators-4', async () => {
    const { id } = (await create({})).json.data
    const body = { reason: 'both saw it' }
    const statuses = await Promise.all([
      call('POST', `/passcodes/${id}/revoke`, { body }),
      call('POST', `/passcodes/${id}/revoke`, {
        body,
        token: await access.token(api.clock.now, { email: 'otto@bursar.example' }),
      }),
    ])
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 404])
    const actors = (await call('GET', '/actions')).json.data
      .filter(
        ({ subject, action }: { subject: string; action: string }) => subject === id && action === 'passcode.revoke',
      )
      .map(({ actor }: { actor: string }) => actor)
    expect(actors.sort()).toEqual(['olga@bursar.example', 'otto@bursar.example'])
  })
})

test('operators can see why the server is not ready @ready-6', async () => {
  const ready = async (changes: Partial<Env>) => (await call('GET', '/ready', { env: changes })).json.data
  expect(await ready({ EMAIL_PROVIDER: 'resend', RESEND_API_KEY: 'k', MAIL_FROM: 'a@b.example' })).toEqual({
    ready: true,
    problems: [],
  })
  expect(await ready({ ENVIRONMENT: 'production', KEK_V1: 'short' })).toEqual({
    ready: false,
    problems: expect.arrayContaining(['KEK_V1 must be 32 bytes in hex']),
  })
})
