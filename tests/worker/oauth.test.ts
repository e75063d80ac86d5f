import { Hono } from 'hono'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AppEnv } from '../../worker/appEnv.ts'
import { openDb } from '../../worker/db/session.ts'
import { allScopes } from '../../worker/domain/scopes.ts'
import {
  mintApiKey,
  mintCredentials,
  replaceCredentials,
  resolveApiKey,
  revokeCredentials,
  storeCredentials,
} from '../../worker/identity/credentials.ts'
import { onFailure } from '../../worker/middleware/answers.ts'
import { agent } from '../../worker/middleware/auth.ts'
import { dependencies } from '../../worker/middleware/requests.ts'
import { type Api, anApi, aUser, env, seed } from './apiClient.ts'

beforeAll(seed)

const { db } = openDb(env.DB)

async function anAgent(api: Api) {
  const user = await aUser(api)
  const agentId = `agent_${crypto.randomUUID()}`
  const credentials = mintCredentials()
  const { clientId, secretHash, apiKeyHash } = credentials
  await storeCredentials(db, { userId: user.id, agentId, clientId, secretHash, apiKeyHash, now: api.clock.now })
  return { userId: user.id, userToken: user.token, agentId, ...credentials }
}

const form = (parameters: Record<string, string> | string[][]) => new URLSearchParams(parameters).toString()
const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
})
const token = (api: Api, raw: string, headers: Record<string, string> = {}) =>
  api.call('POST', '/oauth/token', { raw, headers: { ...asForm, ...headers } })

/** A route of an agents' API that answers who asked. */
function agentApi(api: Api) {
  const app = new Hono<AppEnv>()
  app.onError(onFailure)
  app.use(dependencies(() => api.clock.now))
  app.get('/v1/me', agent('/v1'), (c) => c.json(c.var.agent))
  return (bearer?: string) =>
    app.request('/v1/me', { headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` } }, env)
}

describe('POST /oauth/token', () => {
  test('takes the secret in the header or in the body', async () => {
    const api = anApi()
    const { clientId, clientSecret, agentId, userId, secretHash } = await anAgent(api)
    const grant = { grant_type: 'client_credentials' }
    const answers = [
      await token(api, form(grant), basic(clientId, clientSecret)),
      await token(api, form({ ...grant, client_id: clientId, client_secret: clientSecret })),
    ]
    for (const { status, json, headers } of answers) {
      expect(status).toBe(200)
      expect(json).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        scope: allScopes.join(' '),
      })
      expect(headers.get('cache-control')).toBe('no-store')
      const me = await agentApi(api)(json.access_token)
      expect(await me.json()).toEqual({ userId, agentId, credentialHash: secretHash, scopes: [...allScopes] })
    }
  })

  test('the token is an RFC 9068 token for the resource asked for', async () => {
    const api = anApi()
    const { clientId, clientSecret, agentId, userId } = await anAgent(api)
    const raw = form({
      grant_type: 'client_credentials',
      scope: 'address_payments:write',
      resource: `${env.API_ORIGIN}/mcp/`,
    })
    const { json } = await token(api, raw, basic(clientId, clientSecret))
    expect(json.scope).toBe('address_payments:write payment_context:read')
    const [header, payload] = json.access_token
      .split('.')
      .map((part: string, i: number) => i < 2 && JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))))
    expect(header).toMatchObject({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toMatchObject({
      iss: env.API_ORIGIN,
      aud: `${env.API_ORIGIN}/mcp`,
      sub: agentId,
      client_id: clientId,
      uid: userId,
      exp: api.clock.now / 1000 + 900,
      jti: expect.any(String),
    })
    expect((await agentApi(api)(json.access_token)).status, 'a token for /mcp does not open /v1').toBe(401)
  })

  test('refuses in the words of RFC 6749', async () => {
    const api = anApi()
    const { clientId, clientSecret, apiKey } = await anAgent(api)
    const grant = { grant_type: 'client_credentials' }
    const good = basic(clientId, clientSecret)
    const refusals: [string, number, string, Record<string, string>?][] = [
      [form({ ...grant, client_id: clientId, client_secret: 'bs_guess' }), 401, 'invalid_client'],
      [form({ ...grant, client_id: 'bc_unknown', client_secret: clientSecret }), 401, 'invalid_client'],
      [form({ ...grant, client_id: clientId, client_secret: apiKey }), 401, 'invalid_client'],
      [form(grant), 401, 'invalid_client'],
      [form(grant), 401, 'invalid_client', { authorization: 'Basic !!!' }],
      [form(grant), 401, 'invalid_client', { authorization: `Basic ${btoa('%zz:%zz')}` }],
      [form({ ...grant, client_id: clientId, client_secret: clientSecret }), 400, 'invalid_request', good],
      [
        form([
          ['grant_type', 'client_credentials'],
          ['grant_type', 'client_credentials'],
        ]),
        400,
        'invalid_request',
        good,
      ],
      ['', 400, 'invalid_request', good],
      [form({ grant_type: 'password' }), 400, 'unsupported_grant_type', good],
      [form({ ...grant, scope: 'everything' }), 400, 'invalid_scope', good],
      [form({ ...grant, resource: 'https://elsewhere.example/v1' }), 400, 'invalid_target', good],
      [JSON.stringify(grant), 400, 'invalid_request', { ...good, 'content-type': 'application/json' }],
    ]
    for (const [raw, status, error, headers] of refusals) {
      const answer = await token(api, raw, headers)
      expect([answer.status, answer.json.error], raw).toEqual([status, error])
      expect(answer.json.error_description, raw).toEqual(expect.any(String))
      const asked = status === 401 && headers?.authorization !== undefined
      expect(answer.headers.has('www-authenticate'), raw).toBe(asked)
    }
    expect((await api.call('GET', '/oauth/token')).headers.get('allow')).toBe('POST')
  })

  test('wrong secrets are counted', async () => {
    const api = anApi()
    const { clientId } = await anAgent(api)
    const raw = form({ grant_type: 'client_credentials', client_id: clientId, client_secret: 'bs_guess' })
    const statuses = []
    for (let i = 0; i < 21; i++) statuses.push((await token(api, raw)).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
  })
})

describe('an agent’s API', () => {
  test('says what is missing without an error code, and what is wrong with one', async () => {
    const api = anApi()
    const me = agentApi(api)
    const nothing = await me()
    expect(nothing.status).toBe(401)
    expect(nothing.headers.get('content-type')).toBe('application/problem+json')
    expect(nothing.headers.get('www-authenticate')).not.toContain('error=')
    const { userToken } = await anAgent(api)
    for (const wrong of [userToken, 'bk_unknown', 'bk_', 'x.y.z']) {
      const answer = await me(wrong)
      expect(answer.status, wrong).toBe(401)
      expect(answer.headers.get('www-authenticate'), wrong).toContain('error="invalid_token"')
    }
  })

  test('an agent’s token does not open the dashboard', async () => {
    const api = anApi()
    const { clientId, clientSecret, userId, apiKey } = await anAgent(api)
    const { json } = await token(api, form({ grant_type: 'client_credentials' }), basic(clientId, clientSecret))
    for (const bearer of [json.access_token, apiKey])
      expect((await api.call('GET', `/api/users/${userId}`, { token: bearer })).status).toBe(401)
  })

  test('a replaced API key works until its end, a revoked one not at all', async () => {
    const api = anApi()
    const me = agentApi(api)
    const { userId, agentId, clientId, apiKey } = await anAgent(api)
    expect((await me(apiKey)).status).toBe(200)
    const next = mintApiKey()
    const { now } = api.clock
    await storeCredentials(db, { userId, agentId, clientId, apiKeyHash: next.apiKeyHash, now })
    await replaceCredentials(db, { userId, agentId, kind: 'api_key', keepHash: next.apiKeyHash, endsAt: now + 60_000 })
    api.clock.now += 59_000
    expect((await me(apiKey)).status).toBe(200)
    api.clock.now += 1_000
    expect((await me(apiKey)).status).toBe(401)
    expect((await me(next.apiKey)).status).toBe(200)

    await revokeCredentials(db, userId, agentId, api.clock.now)
    expect((await me(next.apiKey)).status).toBe(401)
    expect(await resolveApiKey(() => db, apiKey, now)).toBeNull()
  })

  test('the database holds hashes, not secrets', async () => {
    const { clientSecret, apiKey } = await anAgent(anApi())
    const { results } = await env.DB.prepare('SELECT * FROM agent_credential').all()
    const dump = JSON.stringify(results)
    expect(dump).not.toContain(clientSecret)
    expect(dump).not.toContain(apiKey)
  })
})

test('a client finds the token endpoint from a refused call alone', async () => {
  const api = anApi()
  const challenge = (await agentApi(api)()).headers.get('www-authenticate')
  const path = (url: string) => url.replace(env.API_ORIGIN, '')
  const resource = await api.call('GET', path(/resource_metadata="([^"]+)"/.exec(challenge!)![1]!))
  expect(resource.json.resource).toBe(`${env.API_ORIGIN}/v1`)
  expect(resource.headers.get('access-control-allow-origin')).toBe('*')
  const server = await api.call(
    'GET',
    `${path(resource.json.authorization_servers[0])}/.well-known/oauth-authorization-server`,
  )
  expect(server.json.issuer).toBe(resource.json.authorization_servers[0])
  expect(path(server.json.token_endpoint)).toBe('/oauth/token')
  expect((await api.call('GET', path(server.json.jwks_uri))).json.keys).toHaveLength(1)
})
