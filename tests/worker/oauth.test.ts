import { generateKeyPairSync } from 'node:crypto'
import { Hono } from 'hono'
import { describe, expect, test, vi } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { AppEnv } from '../../worker/appEnv.ts'
import type { Env } from '../../worker/env.ts'
import { mintCredentials } from '../../worker/identity/credentials.ts'
import { agent } from '../../worker/middleware/auth.ts'
import { onFailure } from '../../worker/middleware/failures.ts'
import { dependencies } from '../../worker/middleware/requests.ts'
import { deviceGrant } from '../../worker/services/oauth.ts'
import { agentCalls, tokenRequests } from '../../worker/services/quotas.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { createConnectingApp, redirectUri, verifier } from '../support/connectingApp.ts'
import { historyRows, syncHistory } from '../support/histories.ts'
import { fresh } from '../support/payer.ts'
import { rowsOf, setClock } from '../support/treasuries.ts'
import { createUser, env } from './apiClient.ts'

const grant = { grant_type: 'client_credentials' }

const api = await createTestApp()
/** The agent's group allows addresses, contacts and email, but not phones. */
const own = await createAccountFixture(api)

/** Credentials of an agent that no Treasury knows. */
async function createStranger() {
  const user = await createUser(api)
  const agentId = `agt_${crypto.randomUUID().replaceAll('-', '')}`
  return { userId: user.id, ...mintCredentials(env, { userId: user.id, agentId }, api.clock.now) }
}

/** A second user's agent, for what agents must not see of each other. */
const another = () => createAccountFixture(api)

const form = (parameters: Record<string, string> | string[][]) => new URLSearchParams(parameters).toString()
const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
})
const good = () => basic(own.clientId, own.clientSecret)
const post = (path: string, raw: string, headers: Record<string, string> = {}) =>
  api.call('POST', `/oauth/${path}`, { raw, headers: { ...asForm, ...headers } })
const token = (raw: string, headers: Record<string, string> = good()) => post('token', raw, headers)
const requestToken = async (parameters: Record<string, string> = {}): Promise<string> =>
  (await token(form({ ...grant, ...parameters }))).json.access_token

/** A route of an agents' API that returns its caller. */
function agentApi() {
  const app = new Hono<AppEnv>()
  app.onError(onFailure)
  app.use(dependencies(() => api.clock.now))
  app.get('/v1/me', agent('/v1'), (c) => c.json(c.var.agent))
  return (bearer?: string) =>
    app.request('/v1/me', { headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` } }, env)
}

const decoded = (jwt: string) =>
  jwt
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))))

describe('POST /oauth/token', () => {
  test('accepts the secret in the header or the body, and grants what the group allows @oauth-1', async () => {
    const inBody = { client_id: own.clientId, client_secret: own.clientSecret }
    for (const { status, json, headers } of [
      await token(form(grant)),
      await token(form({ ...grant, ...inBody }), {}),
    ]) {
      expect(status).toBe(200)
      expect(json).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'contact_payments:write address_payments:write email_payments:write payment_context:read',
      })
      expect(headers.get('cache-control')).toBe('no-store')
      expect((await api.call('GET', '/v1/context', { token: json.access_token })).status).toBe(200)
    }
  })

  test('the token is an RFC 9068 token for the requested resource, with or without a trailing slash @oauth-2', async () => {
    const one = await token(form({ ...grant, scope: 'address_payments:write', resource: `${env.API_ORIGIN}/mcp/` }))
    expect(one.json.scope).toBe('address_payments:write payment_context:read')
    const [header, payload] = decoded(one.json.access_token)
    expect(header).toMatchObject({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toMatchObject({
      iss: env.API_ORIGIN,
      aud: `${env.API_ORIGIN}/mcp`,
      sub: own.agent,
      client_id: own.clientId,
      scope: one.json.scope,
      exp: Math.floor(api.clock.now / 1000) + 900,
      jti: expect.any(String),
    })
    const wrongPlace = await api.call('GET', '/v1/context', { token: one.json.access_token })
    expect(wrongPlace.status, 'a token for /mcp does not open /v1').toBe(401)
  })

  test('grants the requested scopes that the group has; if it has none of them, that is an error @oauth-3', async () => {
    const partly = await token(form({ ...grant, scope: 'sms_payments:write email_payments:write' }))
    expect(partly.json.scope).toBe('email_payments:write payment_context:read')
    const none = await token(form({ ...grant, scope: 'sms_payments:write' }))
    expect([none.status, none.json.error]).toEqual([400, 'invalid_scope'])
    expect(none.json.error_description).toContain('address_payments:write')
    expect((await token(form({ ...grant, scope: '' }))).json.scope).toContain('contact_payments:write')
  })

  test('who may only buy has a token for purchases, and sends nothing with it @oauth-28', async () => {
    const buyer = await createAccountFixture(api, { scopes: ['x402_payments:write'] })
    const client = { client_id: buyer.clientId, client_secret: buyer.clientSecret }
    const { json } = await token(form({ ...grant, ...client }), {})
    expect(json.scope).toBe('x402_payments:write payment_context:read')
    const sent = await buyer.pay(
      { to: { type: 'address', address: fresh('shop') }, amount: '1' },
      { token: json.access_token },
    )
    expect([sent.status, sent.json.code]).toEqual([403, 'insufficient_scope'])
  })

  test('refuses invalid token requests with the error codes of RFC 6749 @oauth-4', async () => {
    const { clientId, clientSecret, apiKey } = own
    const both = { client_id: clientId, client_secret: clientSecret }
    const refusals: [string, number, string, Record<string, string>?][] = [
      [form({ ...grant, client_id: clientId, client_secret: 'bs_guess' }), 401, 'invalid_client'],
      [form({ ...grant, client_id: 'bc_unknown', client_secret: clientSecret }), 401, 'invalid_client'],
      [form({ ...grant, client_id: clientId, client_secret: apiKey }), 401, 'invalid_client'],
      [form({ ...grant, client_id: clientId, client_secret: '' }), 401, 'invalid_client'],
      [form(grant), 401, 'invalid_client'],
      [form({ ...grant, client_assertion: 'x.y.z' }), 401, 'invalid_client'],
      [form(grant), 401, 'invalid_client', { authorization: 'Basic !!!' }],
      [form(grant), 401, 'invalid_client', { authorization: `Basic ${btoa('%zz:%zz')}` }],
      [form(grant), 401, 'invalid_client', { authorization: `Basic ${btoa(clientId)}` }],
      [form(grant), 401, 'invalid_client', { authorization: `Bearer ${apiKey}` }],
      [form({ ...grant, ...both }), 400, 'invalid_request', good()],
      [form({ ...grant, client_id: 'bc_other' }), 400, 'invalid_request', good()],
      [form({ ...grant, client_assertion: 'x.y.z' }), 400, 'invalid_request', good()],
      [form([...Object.entries(grant), ...Object.entries(grant)]), 400, 'invalid_request', good()],
      [form([...Object.entries(grant), ['scope', 'a'], ['scope', 'b']]), 400, 'invalid_request', good()],
      ['', 400, 'invalid_request', good()],
      ['\0\0\0', 400, 'invalid_request', good()],
      [form({ grant_type: 'password' }), 400, 'unsupported_grant_type', good()],
      [form({ ...grant, scope: 'everything' }), 400, 'invalid_scope', good()],
      [form({ ...grant, scope: 'address_payments:write\u0000' }), 400, 'invalid_scope', good()],
      [form({ ...grant, resource: 'https://elsewhere.example/v1' }), 400, 'invalid_target', good()],
      [form({ ...grant, resource: `${env.API_ORIGIN}/api` }), 400, 'invalid_target', good()],
      [
        form([['resource', `${env.API_ORIGIN}/v1`], ['resource', `${env.API_ORIGIN}/mcp`], ...Object.entries(grant)]),
        400,
        'invalid_target',
        good(),
      ],
      [JSON.stringify(grant), 400, 'invalid_request', { ...good(), 'content-type': 'application/json' }],
    ]
    for (const [raw, status, error, headers = {}] of refusals) {
      const answer = await token(raw, headers)
      expect([answer.status, answer.json.error], raw).toEqual([status, error])
      expect(answer.json.error_description, raw).toEqual(expect.any(String))
      expect(Object.keys(answer.json), raw).toEqual(['error', 'error_description'])
      const isChallenged = status === 401 && headers.authorization !== undefined
      expect(answer.headers.has('www-authenticate'), raw).toBe(isChallenged)
    }
  })

  test('other methods, unknown paths and huge bodies are refused in OAuth’s form @oauth-5', async () => {
    const get = await api.call('GET', '/oauth/token')
    expect([get.status, get.headers.get('allow'), get.json.error]).toEqual([405, 'POST', 'invalid_request'])
    const nothing = await api.call('GET', '/oauth/nothing')
    expect([nothing.status, nothing.json.error]).toEqual([404, 'invalid_request'])
    const huge = await token(form({ ...grant, scope: 'x'.repeat(17_000) }))
    expect([huge.status, huge.json.error]).toEqual([413, 'invalid_request'])
  })

  test('a deleted agent’s client looks like an unknown one @oauth-6', async () => {
    const { clientId, clientSecret } = await createStranger()
    const gone = await token(form(grant), basic(clientId, clientSecret))
    const never = await token(form(grant), basic('bc_never', 'bs_never'))
    expect([gone.status, gone.json]).toEqual([never.status, never.json])
  })

  test('a replaced secret keeps working for 24 hours @oauth-7', async () => {
    const { token: owner, user, agent, clientId, clientSecret } = await another()
    const path = `/api/agents/${agent}/regenerate-credentials`
    const next = (await api.call('POST', path, { token: owner, body: {} })).json.data
    expect(next.clientId).toBe(clientId)
    const ask = async (secret: string) => (await token(form(grant), basic(clientId, secret))).status
    await setClock({ user }, () => api.clock.now)
    expect([await ask(clientSecret), await ask(next.clientSecret)]).toEqual([200, 200])
    api.clock.now += dayMs
    expect([await ask(clientSecret), await ask(next.clientSecret)]).toEqual([401, 200])
    api.clock.now -= dayMs
  })

  test('wrong secrets and token requests are rate limited @oauth-8', async () => {
    const raw = form({ ...grant, client_id: own.clientId, client_secret: 'bs_guess' })
    const guess = () => api.call('POST', '/oauth/token', { raw, headers: asForm, from: '203.0.113.9' })
    const statuses = []
    for (let i = 0; i < 21; i++) statuses.push((await guess()).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
    expect((await token(form(grant))).status, 'the owner is not locked out').toBe(200)

    const { clientId, clientSecret } = await another()
    for (let i = 0; i < tokenRequests.limit; i++) tokenRequests.take(clientId, api.clock.now)
    const tooMany = await token(form(grant), basic(clientId, clientSecret))
    expect([tooMany.status, tooMany.json.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(tooMany.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('whoever shares an address with one that guesses still gets tokens @safety-20', async () => {
    const from = '203.0.113.10'
    const ask = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
      api.call('POST', '/oauth/token', { raw: form(parameters), headers: { ...asForm, ...headers }, from })
    const other = await another()
    const app = await createConnectingApp(api, other)
    const guesses = [
      { grant_type: 'refresh_token', client_id: 'x', refresh_token: 'br_x' },
      { grant_type: 'authorization_code', client_id: 'x', code: 'bo_x', redirect_uri: 'x', code_verifier: 'x' },
      { grant_type: deviceGrant, client_id: 'bursar-cli', device_code: 'bd_x' },
      { ...grant, client_id: 'bc_x', client_secret: 'bs_x' },
    ]
    const statuses: number[] = []
    for (let i = 0; i < 102; i++) statuses.push((await ask(guesses[i % 4]!)).status)
    expect([statuses.slice(0, 100).includes(429), statuses.slice(100)]).toEqual([false, [429, 429]])
    const { code } = await app.allowed() // after the guesses, because it expires
    expect((await ask(grant, basic(other.clientId, other.clientSecret))).status, 'a client with its secret').toBe(200)
    const redeemed = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const first = await ask({ ...redeemed, client_id: app.clientId })
    expect(first.status, first.text).toBe(200)
    const refreshed = { grant_type: 'refresh_token', refresh_token: first.json.refresh_token }
    expect((await ask({ ...refreshed, client_id: app.clientId })).status).toBe(200)
    expect((await ask(grant, basic(other.clientId, 'bs_guess'))).status, 'its own limit').toBe(401)
  })

  test('a form has at most 50 parameters, and each once @safety-1', async () => {
    const names = (many: number) => Object.fromEntries(Array.from({ length: many }, (_, i) => [`p${i}`, '']))
    expect((await token(form({ ...grant, ...names(49) }))).status).toBe(200)
    for (const raw of [form({ ...grant, ...names(50) }), 'a=&b=&a=']) {
      for (const path of ['token', 'revoke', 'introspect', 'device']) {
        const { status, json } = await post(path, raw, good())
        expect([status, json.error], `${path} ${raw.slice(0, 20)}`).toEqual([400, 'invalid_request'])
      }
      expect((await api.call('GET', `/oauth/authorize?${raw}`)).json.error).toBe('invalid_request')
    }
  })
})

describe('POST /oauth/revoke and /oauth/introspect', () => {
  const formFor = (text: string) => form({ token: text, token_type_hint: 'access_token' })

  test('only the revoked token is refused, from the next call on @oauth-9', async () => {
    const [first, second] = [await requestToken(), await requestToken()]
    const context = async (bearer: string) => (await api.call('GET', '/v1/context', { token: bearer })).status
    expect([await context(first), await context(second)]).toEqual([200, 200])
    const revoked = await post('revoke', formFor(first), good())
    expect([revoked.status, revoked.text]).toEqual([200, ''])
    expect([await context(first), await context(second)]).toEqual([401, 200])

    const payment = { to: { type: 'address', address: fresh('x') }, amount: '1' }
    for (const path of ['/v1/payments', '/v1/payments/check']) {
      const paid = await api.call('POST', path, {
        token: first,
        key: `revoked${path}`,
        body: payment,
      })
      expect([paid.status, paid.json.code], paid.text).toEqual([401, 'unauthenticated'])
      expect(paid.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
    expect((await post('revoke', formFor(first), good())).status, 'again').toBe(200)
  })

  test('introspection returns what a token grants now, to its own client only @oauth-10', async () => {
    const text = await requestToken({ scope: 'email_payments:write' })
    const { json, status } = await post('introspect', formFor(text), good())
    const { jti, exp, iat } = decoded(text)[1]
    expect([status, json]).toEqual([
      200,
      {
        active: true,
        scope: 'email_payments:write payment_context:read',
        client_id: own.clientId,
        token_type: 'Bearer',
        sub: own.agent,
        aud: `${env.API_ORIGIN}/v1`,
        iss: env.API_ORIGIN,
        jti,
        exp,
        iat,
      },
    ])
    const { clientId, clientSecret } = await another()
    const inactive = { active: false }
    expect((await post('introspect', formFor(text), basic(clientId, clientSecret))).json).toEqual(inactive)
    await post('revoke', formFor(text), basic(clientId, clientSecret))
    expect((await post('introspect', formFor(text), good())).json.active, 'revoked by a stranger').toBe(true)

    await post('revoke', formFor(text), good())
    const signature = text.slice(text.lastIndexOf('.'))
    for (const other of [
      text,
      'x.y.z',
      'nonsense',
      own.apiKey,
      own.token,
      `${text}x`,
      `${text.slice(0, 20)}${signature}`,
    ])
      expect((await post('introspect', formFor(other), good())).json, other).toEqual(inactive)
  })

  test('an expired token is inactive and may be revoked', async () => {
    const text = await requestToken()
    api.clock.now += 16 * minuteMs
    expect((await post('introspect', formFor(text), good())).json).toEqual({ active: false })
    expect((await post('revoke', formFor(text), good())).status).toBe(200)
    api.clock.now -= 16 * minuteMs
  })

  test.each(['revoke', 'introspect'])('%s requires a client and a token', async (path) => {
    const text = formFor(await requestToken())
    const nobody = await post(path, text)
    expect([nobody.status, nobody.json.error]).toEqual([401, 'invalid_client'])
    const wrong = await post(path, text, basic(own.clientId, 'bs_guess'))
    expect([wrong.status, wrong.json.error, wrong.headers.has('www-authenticate')]).toEqual([
      401,
      'invalid_client',
      true,
    ])
    const json = await post(path, '{}', { ...good(), 'content-type': 'application/json' })
    expect([json.status, json.json.error]).toEqual([400, 'invalid_request'])
    const nothing = await post(path, '', good())
    expect([nothing.status, nothing.json.error]).toEqual([400, 'invalid_request'])
  })
})

describe('GET /oauth/authorize @oauth-11', () => {
  const authorize = (query: string, accept = '*/*') =>
    api.call('GET', `/oauth/authorize${query}`, { headers: { accept } })

  test.each([
    ['?response_type=code&client_id=x&redirect_uri=https://evil.example', 401, 'invalid_client'],
    ['?response_type=token', 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
  ])('query "%s" is refused without a redirect', async (query, status, error) => {
    const answer = await authorize(query)
    expect([answer.status, answer.json.error, answer.headers.get('location')]).toEqual([status, error, null])
  })

  test('a browser gets a page that says what to do', async () => {
    const { status, text, headers } = await authorize('?response_type=code&state=<script>', 'text/html')
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=UTF-8'])
    expect(text).toContain('Missing client_id')
    expect(text).toContain('/dashboard/agents')
    expect(text).not.toContain('<script>')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'nonce-[0-9a-f-]{36}'; frame/,
    )
  })
})

describe('an agent’s API', () => {
  test('missing credentials are challenged without an error code, wrong ones with one @oauth-12', async () => {
    const me = agentApi()
    const nothing = await me()
    expect(nothing.status).toBe(401)
    expect(nothing.headers.get('content-type')).toBe('application/problem+json')
    expect(nothing.headers.get('www-authenticate')).not.toContain('error=')
    for (const wrong of [own.token, 'bk_unknown', 'bk_', 'x.y.z', `${await requestToken()}x`]) {
      const answer = await me(wrong)
      expect(answer.status, wrong).toBe(401)
      expect(answer.headers.get('www-authenticate'), wrong).toContain('error="invalid_token"')
    }
    const neither = (await (await me(own.apiKey.replace('bk_', ''))).json()) as { detail: string }
    expect(neither.detail).toBe('This is neither an API key of an agent, which begins with bk_, nor an access token.')
    const inQuery = await api.call('GET', `/v1/context?access_token=${await requestToken()}`)
    expect(inQuery.status, 'tokens only in the header').toBe(401)
  })

  test('an API key works like a token @oauth-13', async () => {
    const answers = [own.apiKey, await requestToken()].map((bearer) =>
      api.call('GET', '/v1/context', { token: bearer }),
    )
    const [byKey, byToken] = await Promise.all(answers)
    expect(byKey!.json).toEqual(byToken!.json)
    expect(await (await agentApi()(own.apiKey)).json()).toMatchObject({ agentId: own.agent, userId: own.user })
  })

  test('a challenge names the scope that a token lacks @oauth-14', async () => {
    const bearer = await requestToken({ scope: 'email_payments:write' })
    const answer = await own.pay({ to: { type: 'address', address: fresh('x') }, amount: '1' }, { token: bearer })
    expect([answer.status, answer.json.code, answer.json.rule]).toEqual([403, 'insufficient_scope', 'token.scope'])
    const challenge = answer.headers.get('www-authenticate')
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="address_payments:write"')
    expect(challenge).toContain(`resource_metadata="${env.API_ORIGIN}/.well-known/oauth-protected-resource/v1"`)
  })

  test('a scope that the group lacks is refused without a challenge, since no token would help', async () => {
    const answer = await own.pay({ to: { type: 'phone', phone: '+14155550123' }, amount: '1' })
    expect([answer.status, answer.json.code]).toEqual([403, 'insufficient_scope'])
    expect(answer.headers.has('www-authenticate')).toBe(false)
  })

  test('an agent’s token does not give access to the dashboard', async () => {
    for (const bearer of [await requestToken(), own.apiKey])
      expect((await api.call('GET', `/api/users/${own.user}`, { token: bearer })).status).toBe(401)
  })

  test('a key that we did not issue, one whose secret was changed, and one of a deleted agent get the same reply @oauth-26', async () => {
    const stranger = await createStranger()
    const changed = `${own.apiKey.slice(0, 20)}${own.apiKey[20] === 'A' ? 'B' : 'A'}${own.apiKey.slice(21)}`
    const replies = []
    for (const key of ['bk_unknown', changed, stranger.apiKey, own.clientId.replace('bc_', 'bk_')]) {
      const { status, json, headers } = await api.call('GET', '/v1/context', { token: key })
      const { request_id: _, ...body } = json
      replies.push([status, headers.get('www-authenticate'), body])
    }
    expect(replies[0]).toMatchObject([401, expect.stringContaining('invalid_token'), { code: 'unauthenticated' }])
    for (const reply of replies) expect(reply).toEqual(replies[0])
  })

  test('reading the budget and paying, by key or by token, is one call to the Treasury and none to D1; so is a token @oauth-27', async () => {
    const made = await another()
    let [calls, queries] = [0, 0]
    const query = () => {
      queries += 1
      throw new Error('D1 is down')
    }
    const session = { prepare: query, batch: query, getBookmark: () => null }
    const counted = <T extends object>(stub: T): T =>
      new Proxy(stub, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          return (...input: unknown[]) => {
            calls += 1
            // Not `method.apply`, which would be a call of the object's `apply`.
            return (target as Record<PropertyKey, (...input: unknown[]) => unknown>)[name]!(...input)
          }
        },
      })
    const changes = {
      DB: { ...session, withSession: () => session },
      TREASURY: { getByName: (name: string) => counted(env.TREASURY.getByName(name)) },
    } as unknown as Partial<Env>
    const to = { type: 'address', address: fresh('cold') }
    const once = async (method: string, path: string, options: object, status: number) => {
      calls = 0
      const answer = await api.call(method, path, { ...options, env: changes })
      expect([answer.status, calls], `${path} ${answer.text}`).toEqual([status, 1])
      return answer.json
    }
    const raw = form({ ...grant, client_id: made.clientId, client_secret: made.clientSecret })
    const { access_token: bearer } = await once('POST', '/oauth/token', { raw, headers: asForm }, 200)
    for (const credential of [made.apiKey, bearer]) {
      await once('GET', '/v1/context', { token: credential }, 200)
      for (const key of ['cold', 'warm'].map((name) => `${name}-${credential.slice(0, 4)}`))
        await once('POST', '/v1/payments', { token: credential, key, body: { to, amount: '0.01' } }, 201)
    }
    expect(queries).toBe(0)
  })

  test('the Treasury stores hashes of secrets, and History neither @oauth-15', async () => {
    const stored = await rowsOf(own, 'SELECT * FROM credential')
    await syncHistory(own)
    const kept = JSON.stringify(await historyRows(own, 'SELECT value FROM recoverable_value'))
    expect(stored).toHaveLength(2)
    for (const { hash } of stored) expect(kept).not.toContain(hash)
    for (const secret of [own.clientSecret, own.apiKey]) expect(JSON.stringify(stored) + kept).not.toContain(secret)
  })

  test('each agent has its own quota, reported in every response @oauth-16', async () => {
    const { apiKey, agent } = await another()
    const call = (bearer: string) => api.call('GET', '/v1/context', { token: bearer })
    const first = await call(apiKey)
    expect(first.headers.get('ratelimit-policy')).toBe('"agent";q=1000;w=10')
    const [, left, seconds] = /^"agent";r=(\d+);t=(\d+)$/.exec(first.headers.get('ratelimit')!)!.map(Number)
    expect(left).toBe(999)
    expect(seconds).toBeGreaterThan(0)
    for (let i = 0; i < agentCalls.limit; i++) agentCalls.take(agent, api.clock.now)
    const tooMany = await call(apiKey)
    expect([tooMany.status, tooMany.json.code]).toEqual([429, 'rate_limited'])
    expect(tooMany.headers.get('ratelimit')).toBe(`"agent";r=0;t=${tooMany.headers.get('retry-after')}`)
    expect((await call(own.apiKey)).status, 'others are not held up').toBe(200)
    api.clock.now += agentCalls.windowMs
    expect((await call(apiKey)).status).toBe(200)
  })

  test('guesses of API keys are rate limited per address and reach neither D1 nor an object, while a key still works @oauth-17', async () => {
    const withKey = () => api.call('GET', '/v1/context', { token: own.apiKey, from: '203.0.113.7' })
    const reached = vi.fn()
    const unreachable = {
      DB: { withSession: () => ({ prepare: reached, getBookmark: () => null }) },
      TREASURY: { getByName: reached },
    } as unknown as Partial<Env>
    const guess = (from: string) => api.call('GET', '/v1/context', { token: 'bk_guess', from, env: unreachable })
    const statuses: number[] = []
    for (let i = 0; i < 102; i++) statuses.push((await guess('203.0.113.7')).status)
    expect(statuses).toEqual([...Array(100).fill(401), 429, 429])
    expect(reached).not.toHaveBeenCalled()
    expect((await guess('203.0.113.8')).status).toBe(401)
    expect((await withKey()).status).toBe(200)
  })
})

test('after a signing key change, tokens of the previous key stay valid while it is configured @oauth-18', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const next = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'next', alg: 'ES256' })
  const { d: _, ...previous } = JSON.parse(env.JWT_PRIVATE_JWK)
  const old = await requestToken()
  const context = (bearer: string, changes: Partial<Env>) =>
    api.call('GET', '/v1/context', { token: bearer, env: { JWT_PRIVATE_JWK: next, ...changes } })
  const both = { JWT_PREVIOUS_JWK: JSON.stringify(previous) }
  expect((await context(old, both)).status).toBe(200)
  expect((await context(old, {})).status).toBe(401)
  const fresh = await api.call('POST', '/oauth/token', {
    raw: form(grant),
    headers: { ...asForm, ...good() },
    env: { JWT_PRIVATE_JWK: next, ...both },
  })
  expect(decoded(fresh.json.access_token)[0].kid).toBe('next')
  expect((await context(fresh.json.access_token, both)).status).toBe(200)
  const { json, text } = await api.call('GET', '/.well-known/jwks.json', { env: { JWT_PRIVATE_JWK: next, ...both } })
  expect(json.keys.map(({ kid }: { kid: string }) => kid)).toEqual(['next', 'test'])
  expect(text).not.toContain('"d":')
})

test('a client finds the token endpoint from a refused call @oauth-19', async () => {
  const challenge = (await agentApi()()).headers.get('www-authenticate')
  const path = (url: string) => url.replace(env.API_ORIGIN, '')
  const resource = await api.call('GET', path(/resource_metadata="([^"]+)"/.exec(challenge!)![1]!))
  expect(resource.json.resource).toBe(`${env.API_ORIGIN}/v1`)
  expect(resource.headers.get('access-control-allow-origin')).toBe('*')
  const server = await api.call(
    'GET',
    `${path(resource.json.authorization_servers[0])}/.well-known/oauth-authorization-server`,
  )
  expect(server.json).toMatchObject({
    issuer: resource.json.authorization_servers[0],
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: [
      ...['client_credentials', 'authorization_code', 'refresh_token'],
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
  })
  expect(path(server.json.token_endpoint)).toBe('/oauth/token')
  const { keys } = (await api.call('GET', path(server.json.jwks_uri))).json
  expect(keys).toEqual([expect.objectContaining({ use: 'sig', alg: 'ES256', kid: 'test' })])
  expect(keys[0]).not.toHaveProperty('d')
})
