/** Connecting apps by URL: consent, codes, refresh tokens, revoking. Documents and devices: connectingApps.test.ts. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { allScopes, sendScopes } from '#domain/scopes.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Notice } from '#schemas/notice.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import {
  asForm,
  createConnectingApp,
  formOf,
  password,
  redirectUri,
  register,
  verifier,
} from '../support/connectingApp.ts'
import { fresh } from '../support/payer.ts'
import { inTreasury, rowsOf, setClock } from '../support/treasuries.ts'
import { type Api, createUser, env } from './apiClient.ts'

let api: Api
let own: AccountFixture
let start: number
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api, { limit: 40 })
  await setClock(own, () => api.clock.now)
  // After the owner signed in.
  start = api.clock.now += 1_000
})
afterEach(async () => {
  // The owner's session lasts 15 minutes.
  api.clock.now = start
  for (const { id } of (await own.asOwner('GET', '/connections')).json.data)
    await own.asOwner('DELETE', `/connections/${id}`)
})

const app = () => createConnectingApp(api, own)
const agents = async () => (await own.asOwner('GET', '/agents')).json.data as { id: string; name: string }[]

test('an app that knows only the address is connected: it pays within its budget, asks above the line, and ends when revoked @connect-1', async () => {
  const { allowed, exchange, calls, refresh, connections } = await app()
  const before = (await agents()).length
  const { redirect, code } = await allowed()
  expect(redirect.href.startsWith(`${redirectUri}?`)).toBe(true)
  expect([redirect.searchParams.get('state'), redirect.searchParams.get('iss')]).toEqual(['xyz', env.API_ORIGIN])
  expect((await agents()).length, 'not before the exchange').toBe(before)
  const { json, headers, status, text } = await exchange(code)
  expect(status, text).toBe(200)
  expect(json).toEqual({
    ...{ access_token: expect.any(String), refresh_token: expect.stringMatching(/^br_/), token_type: 'Bearer' },
    ...{ expires_in: 900, scope: 'address_payments:write payment_context:read' },
  })
  expect(headers.get('cache-control')).toBe('no-store')
  const helper = expect.objectContaining({ name: 'Helper' })
  expect(await agents()).toContainEqual(helper)

  const as = { token: json.access_token }
  const pay = (amount: string) => own.pay({ to: { type: 'address', address: fresh(amount) }, amount }, as)
  expect((await pay('1')).status).toBe(201)
  expect((await pay('6')).status, 'above 5').toBe(202)
  const groups = (await own.asOwner('GET', '/policy-groups')).json.data
  expect(groups.find(({ name }: { name: string }) => name === 'Helpers')).toMatchObject({
    ...{ spendLimit: null, periodBudget: { period: 'day', limit: '20', used: '1' }, approveAbove: '5' },
  })

  const [connection] = await connections()
  expect(connection).toMatchObject({
    app: { name: 'Test app', kind: 'registered', host: null },
    destination: { type: 'loopback' },
    agent: { name: 'Helper', policyGroup: { name: 'Helpers' } },
    lastUsedAt: new Date(api.clock.now).toISOString(),
  })
  expect((await own.asOwner('DELETE', `/connections/${connection!.id}`)).status).toBe(200)
  expect(await calls(json.access_token)).toBe(401)
  expect((await refresh(json.refresh_token)).json.error).toBe('invalid_grant')
  expect(await connections()).toEqual([])
  expect(await agents(), 'the agent stays').toContainEqual(helper)
  const events = await rowsOf<{ event: string }>(
    own,
    'SELECT event FROM audit WHERE ref = ? ORDER BY seq',
    connection!.id,
  )
  expect(events.map(({ event }) => event)).toEqual(['connection.created', 'connection.used', 'connection.revoked'])
  const { notices } = (await own.asOwner('GET', '/notices')).json.data
  expect(notices[0]).toMatchObject({ event: 'connection.created', text: 'Test app is connected as Helper' })
})

test('a request with a wrong client or redirect never leaves our page, and other problems go back to the app @connect-2', async () => {
  const { authorize } = await app()
  const stay: Record<string, string | undefined>[] = [
    ...[{ client_id: 'client_unknown' }, { client_id: undefined }, { client_id: own.clientId }],
    ...[{ redirect_uri: undefined }, { redirect_uri: 'https://evil.example/cb' }, { redirect_uri: `${redirectUri}/x` }],
    ...[
      { redirect_uri: 'javascript:alert(1)' },
      { redirect_uri: `${redirectUri}#x` },
      { client_id: 'https://10.0.0.1/app' },
    ],
    ...[{ state: 'x'.repeat(2_001) }, { state: '\u0000' }],
    ...[{ client_id: `${env.API_ORIGIN}/app.json` }, { client_id: 'https://app.internal/app.json' }],
  ]
  for (const changes of stay) {
    const { status, headers, json } = await authorize(changes)
    expect([status === 400 || status === 401, headers.get('location')], JSON.stringify(changes)).toEqual([true, null])
    expect(json.error, JSON.stringify(changes)).toMatch(/^invalid_/)
  }
  const page = await authorize({ redirect_uri: 'https://evil.example/<b>' }, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('location')]).toEqual([400, null])
  expect(page.text).not.toContain('evil.example')
  const back: [Record<string, string | undefined>, string][] = [
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    [{ scope: 'openid payments' }, 'invalid_scope'],
    [{ request: 'x.y.z' }, 'request_not_supported'],
    [{ request_uri: 'https://a.example' }, 'request_uri_not_supported'],
    [{ prompt: 'none' }, 'login_required'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
  ]
  for (const [changes, error] of back) {
    const { status, headers } = await authorize(changes)
    const to = new URL(headers.get('location') ?? 'about:blank')
    expect([status, to.searchParams.get('error')], JSON.stringify(changes)).toEqual([302, error])
    expect(to.href.startsWith(`${redirectUri}?`)).toBe(true)
    expect([to.searchParams.get('state'), to.searchParams.get('iss')]).toEqual(['xyz', env.API_ORIGIN])
  }
  for (const changes of [
    { state: undefined },
    { scope: 'openid offline_access' },
    ...[`${env.API_ORIGIN}/`, `${env.API_ORIGIN.toUpperCase()}/mcp`, `${env.API_ORIGIN}/%6dcp/`].map((resource) => ({
      resource,
    })),
  ])
    expect((await authorize(changes)).headers.get('location'), JSON.stringify(changes)).toContain('/dashboard/connect')
  const twice = await api.call('GET', '/oauth/authorize?client_id=a&client_id=b')
  expect([twice.status, twice.json.error]).toEqual([400, 'invalid_request'])
})

test('no website gets a redirect before a person has decided, whatever was registered @safety-13', async () => {
  const redirect_uri = 'https://evil.example/landing'
  const { client_id: clientId } = (await register(api, { redirect_uris: [redirect_uri] })).json
  const { authorize, allow, ask } = await createConnectingApp(api, own, { clientId })
  const request = await ask({ redirect_uri })
  expect((await allow(request)).json.data.redirect, 'after the decision').toContain(redirect_uri)
  for (const changes of [{ response_type: 'x' }, { prompt: 'none' }, { resource: 'https://elsewhere.example' }]) {
    const { status, headers } = await authorize({ redirect_uri, ...changes }, { headers: { accept: 'text/html' } })
    expect([status, headers.get('location')], JSON.stringify(changes)).toEqual([400, null])
  }
})

test('a code works once, for its client, redirect, verifier and resource, within a minute @connect-3', async () => {
  const { allowed, exchange, calls } = await app()
  const other = await app()
  const { code } = await allowed()
  const wrong: Record<string, string>[] = [
    ...[{ client_id: other.clientId }, { redirect_uri: 'http://127.0.0.1:5001/callback' }, { code: `${code}x` }],
    ...[
      { code: code.slice(0, -1) },
      { code: '' },
      { code_verifier: 'another-verifier-of-forty-three-characters-or-so' },
    ],
    ...[{ code_verifier: 'short' }, { client_id: own.clientId }],
  ]
  for (const changes of wrong) {
    const { status, json } = await exchange(code, changes)
    expect([status, json.error], JSON.stringify(changes)).toEqual([400, 'invalid_grant'])
  }
  for (const basic of ['%ff:', '%ff:x', '%zz']) {
    const headers = { ...asForm, authorization: `Basic ${Buffer.from(basic).toString('base64')}` }
    const raw = formOf({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier })
    const { status } = await api.call('POST', '/oauth/token', { raw, headers })
    expect([400, 401], basic).toContain(status)
  }
  expect((await exchange(code, { code_verifier: '' })).json.error).toBe('invalid_request')
  expect((await exchange(code, { client_id: '' })).json.error).toBe('invalid_client')
  expect((await exchange(code, { resource: `${env.API_ORIGIN}/mcp` })).json.error).toBe('invalid_target')
  const first = await exchange(code, { resource: `${env.API_ORIGIN}/v1` })
  expect([first.status, await calls(first.json.access_token)]).toEqual([200, 200])
  expect((await exchange(code)).json.error, 'again').toBe('invalid_grant')
  expect(await calls(first.json.access_token), 'what it gave has ended').toBe(401)

  const late = await allowed()
  api.clock.now += minuteMs
  expect((await exchange(late.code)).json.error).toBe('invalid_grant')
})

test('of 200 parallel exchanges of one code one succeeds, and what it gave ends @connect-4', async () => {
  const { allowed, exchange, calls, connections, refresh } = await app()
  const before = (await agents()).length
  const { code } = await allowed()
  const replies = await Promise.all(Array.from({ length: 200 }, () => exchange(code)))
  const succeeded = replies.filter(({ status }) => status === 200)
  expect(succeeded).toHaveLength(1)
  for (const { status } of replies) expect([200, 400, 429]).toContain(status)
  expect((await agents()).length, 'one agent').toBe(before + 1)
  const { access_token, refresh_token } = succeeded[0]!.json
  // More calls than a minute allows.
  api.clock.now += minuteMs
  expect([await calls(access_token), (await refresh(refresh_token)).json.error]).toEqual([401, 'invalid_grant'])
  expect(await connections()).toEqual([])
})

test('a refresh token is exchanged for another; used again it gives the same one within a minute, access only for a day, and ends nothing @connect-5', async () => {
  const { connect, refresh, calls, connections } = await app()
  const { refresh_token: first } = await connect()
  const second = (await refresh(first)).json
  expect(second.refresh_token).not.toBe(first)
  api.clock.now += 59_000
  const repeated = (await refresh(first)).json
  expect(repeated.refresh_token, 'the reply may have been lost').toBe(second.refresh_token)
  expect([await calls(second.access_token), await calls(repeated.access_token)]).toEqual([200, 200])
  expect((await refresh(first, { client_id: 'client_other' })).json.error).toBe('invalid_grant')
  expect((await refresh(first, { resource: `${env.API_ORIGIN}/mcp` })).json.error).toBe('invalid_target')

  api.clock.now += 1_000
  const sharing = (await refresh(first)).json
  expect(Object.keys(sharing)).toEqual(['access_token', 'token_type', 'expires_in', 'scope'])
  expect([await calls(sharing.access_token), await calls(second.access_token)]).toEqual([200, 200])
  const third = (await refresh(second.refresh_token)).json
  api.clock.now = start + dayMs - 1
  expect((await refresh(first)).status).toBe(200)
  api.clock.now = start + dayMs
  expect((await refresh(first)).json.error).toBe('invalid_grant')
  const late = (await refresh(third.refresh_token)).json
  expect(await calls(late.access_token), 'nothing has ended').toBe(200)
  api.clock.now = start
  expect(await connections()).toHaveLength(1)
})

test('parallel exchanges of one refresh token give one successor @connect-6', async () => {
  const { connect, refresh, connections } = await app()
  const { refresh_token: token } = await connect()
  const replies = await Promise.all(Array.from({ length: 100 }, () => refresh(token)))
  for (const { status } of replies) expect([200, 429]).toContain(status)
  const given = new Set(replies.filter(({ status }) => status === 200).map(({ json }) => json.refresh_token as string))
  expect(given.size).toBe(1)
  api.clock.now += minuteMs
  expect((await refresh([...given][0]!)).json.refresh_token).toMatch(/^br_/)
  api.clock.now = start
  expect(await connections()).toHaveLength(1)
})

test('an app that uses spent tokens more than 20 times in a day rings the bell once, and stays connected @connect-28', async () => {
  const { connect, refresh, connections } = await app()
  const { refresh_token: token, connection } = await connect()
  const newest = (await refresh(token)).json.refresh_token
  const ofConnection = async () => {
    const { notices } = (await own.asOwner('GET', '/notices')).json.data
    return notices.filter((one: Notice) => one.subject?.id === connection && one.event === 'connection.token_reused')
  }
  const use = async (times: number) => {
    for (let i = 0; i < times; i++) expect((await refresh(token)).status).toBe(200)
  }
  api.clock.now += minuteMs
  await use(20)
  api.clock.now = start
  expect(await ofConnection()).toEqual([])
  api.clock.now += 2 * minuteMs
  await use(10)
  api.clock.now = start
  expect(await ofConnection()).toEqual([
    expect.objectContaining({ text: 'Test app is used in several places at once', times: 1 }),
  ])
  expect(await connections()).toHaveLength(1)
  expect((await refresh(newest)).status).toBe(200)
})

test('a token that nobody uses for 60 days ends @connect-7', async () => {
  const { connect, refresh } = await app()
  const { refresh_token: token } = await connect()
  api.clock.now += 60 * 24 * 60 * minuteMs
  expect((await refresh(token)).json.error).toBe('invalid_grant')
})

test('a request is answered once, by the person who opened it, with the password @connect-8', async () => {
  const { client_id: clientId } = (await register(api, { client_name: 'New app' })).json
  const { ask, allow, exchange } = await createConnectingApp(api, own, { clientId })
  const other = await createUser(api)
  const asOther = (method: string, path: string, body?: object) =>
    other.asOwner(method, `/connections/requests/${path}`, body)
  const request = await ask()
  const shown = await own.asOwner('GET', `/connections/requests/${request}`)
  expect(shown.json.data).toMatchObject({
    app: { name: 'New app', kind: 'registered' },
    destination: { type: 'loopback' },
    passwordRequired: true,
    existing: null,
    proposed: { group: { periodBudget: { period: 'day', limit: '20' }, approveAbove: '5' } },
  })
  const agent = { type: 'existing', agentId: own.agent }
  for (const [method, path] of [
    ['GET', request],
    ['POST', `${request}/allow`],
    ['POST', `${request}/deny`],
  ] as const)
    expect((await asOther(method, path, method === 'GET' ? undefined : { agent, password })).status, path).toBe(404)
  const missing = await allow(request, { password: undefined })
  expect([missing.status, missing.json.code, missing.json.field]).toEqual([422, 'password_required', 'password'])
  const wrong = await allow(request, { password: 'wrong' })
  expect([wrong.status, wrong.json.field]).toEqual([400, 'password'])
  for (const [changed, field] of [
    [{ type: 'existing', agentId: 'agt_unknown' }, 'agent.agentId'],
    [
      { type: 'new', name: 'A', policyGroup: { type: 'existing', policyGroupId: 'grp_unknown' } },
      'agent.policyGroup.policyGroupId',
    ],
  ] as const) {
    const answer = await allow(request, { agent: changed })
    expect([answer.status, answer.json.field]).toEqual([404, field])
  }
  expect((await api.call('GET', `/api/connections/requests/${request}/allow`, { token: own.token })).status).toBe(405)
  const first = await allow(request)
  const repeated = await allow(request)
  expect([first.status, repeated.status], 'its reply may have been lost').toEqual([200, 200])
  const codes = [first, repeated].map(({ json }) => new URL(json.data.redirect).searchParams.get('code')!)
  expect((await exchange(codes[0]!)).json.error, 'the newer code is in its place').toBe('invalid_grant')
  expect((await exchange(codes[1]!)).status).toBe(200)
  const over = [await allow(request), await own.asOwner('POST', `/connections/requests/${request}/deny`, {})]
  expect(over.map(({ status }) => status)).toEqual([410, 410])

  const denied = await ask()
  const answer = await own.asOwner('POST', `/connections/requests/${denied}/deny`, {})
  const to = new URL(answer.json.data.redirect).searchParams
  expect([to.get('error'), to.get('state'), to.get('iss')]).toEqual(['access_denied', 'xyz', env.API_ORIGIN])
  expect((await allow(denied)).status).toBe(410)

  const slow = await ask()
  await own.asOwner('GET', `/connections/requests/${slow}`)
  const left = await env.DB.prepare('SELECT expires_at FROM connection_request WHERE id = ?')
    .bind(slow)
    .first('expires_at')
  expect(left).toBe(api.clock.now + 30 * minuteMs)
  await env.DB.prepare('UPDATE connection_request SET expires_at = ? WHERE id = ?').bind(api.clock.now, slow).run()
  expect((await allow(slow)).status).toBe(410)
})

test('who signed in for this very request less than five minutes ago needs no password again @connect-9', async () => {
  const { ask, newAgent } = await app()
  const person = await createUser(api)
  async function asked(minutes: number, signedInFor: (request: string) => string | undefined) {
    const request = await ask()
    const { email, password: own } = person
    const reply = await api.call('POST', '/api/auth/cognito/login', {
      body: { email, password: own, connectionRequest: signedInFor(request) },
    })
    expect(reply.status, reply.text).toBe(200)
    const { accessToken: token } = reply.json.data
    api.clock.now += minutes * minuteMs
    const { json } = await api.call('GET', `/api/connections/requests/${request}`, { token })
    const allowed = await api.call('POST', `/api/connections/requests/${request}/allow`, {
      token,
      body: { agent: newAgent },
    })
    return [json.data.passwordRequired as boolean, allowed.json.code as string]
  }
  // Their group has a wallet of somebody else, which is looked at after the password.
  expect(await asked(0, (request) => request)).toEqual([false, 'not_found'])
  expect(await asked(4, (request) => request)).toEqual([false, 'not_found'])
  expect(await asked(6, (request) => request)).toEqual([true, 'password_required'])
  expect(await asked(0, () => undefined), 'for something else').toEqual([true, 'password_required'])
  expect(await asked(0, () => 'request_other'), 'for another app').toEqual([true, 'password_required'])
})

test('connecting the same app again proposes its agent, adds no budget, and ends its former tokens @connect-10', async () => {
  const { connect, calls, ask, connections } = await app()
  const first = await connect()
  const groups = async () => (await own.asOwner('GET', '/policy-groups')).json.data
  const before = [await agents(), (await groups()).length]
  const { existing } = (
    await own.asOwner('GET', `/connections/requests/${await ask({ redirect_uri: 'http://127.0.0.1:6000/callback' })}`)
  ).json.data
  expect(existing).toMatchObject({ agentName: 'Helper' })
  const again = await connect({ agent: { type: 'existing', agentId: existing.agentId } })
  expect([await agents(), (await groups()).length]).toEqual(before)
  expect([await calls(first.access_token), await calls(again.access_token)]).toEqual([401, 200])
  expect(await connections()).toHaveLength(1)
  await own.asOwner('DELETE', `/connections/${again.connection}`)
  const after = (await own.asOwner('GET', `/connections/requests/${await ask()}`)).json.data
  expect(after.existing, 'also after it was revoked').toEqual(existing)
})

test('what changes between consent and exchange is refused, and leaves nothing behind @connect-11', async () => {
  const { allowed, exchange, connections, connect, calls, refresh } = await app()
  const group = (await own.asOwner('POST', '/policy-groups', { name: 'Short', scopes: [], walletId: own.wallet })).json
    .data.id
  const inGroup = { agent: { type: 'new', name: 'A', policyGroup: { type: 'existing', policyGroupId: group } } }
  const { code } = await allowed(inGroup)
  await own.asOwner('DELETE', `/policy-groups/${group}/cascade`)
  expect((await exchange(code)).json).toMatchObject({ error: 'invalid_grant' })

  const suspended = await allowed()
  const suspend = (since: number | null) =>
    inTreasury(own, ({ context }) => {
      context.store.suspension = { since, version: context.store.suspension.version + 1 }
    })
  await suspend(1)
  const request = await exchange(suspended.code)
  expect([request.status, request.json.error]).toEqual([400, 'invalid_grant'])
  await suspend(null)
  expect(await connections()).toEqual([])

  const deleted = await connect()
  const { agent } = (await connections())[0]!
  await own.asOwner('DELETE', `/agents/${agent.id}`)
  expect([await calls(deleted.access_token), (await refresh(deleted.refresh_token)).json.error]).toEqual([
    401,
    'invalid_grant',
  ])
  expect(await connections()).toEqual([])
})

test('an app may give a token back, or the connection, but not that of another app @connect-12', async () => {
  const { clientId, connect, revoke, calls, refresh, connections } = await app()
  const other = await app()
  const { access_token: token, refresh_token: refreshToken } = await connect()
  for (const text of [token, refreshToken, 'nonsense']) expect((await other.revoke(text)).status, 'RFC 7009').toBe(200)
  expect(await calls(token)).toBe(200)
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:`).toString('base64')}`
  const options = { raw: formOf({ token, client_secret: '' }), headers: { ...asForm, authorization: basic } }
  expect((await api.call('POST', '/oauth/revoke', options)).status, 'with an empty secret').toBe(200)
  expect(await calls(token)).toBe(401)
  const newer = (await refresh(refreshToken)).json
  expect(await calls(newer.access_token)).toBe(200)
  await revoke(newer.refresh_token)
  expect([await calls(newer.access_token), (await connections()).length]).toEqual([401, 0])
})

test('codes and refresh tokens are stored as hashes; tokens of another kind are rejected @connect-13', async () => {
  const { allowed, exchange, refresh } = await app()
  const { code } = await allowed()
  const { refresh_token: token } = (await exchange(code)).json
  const stored = JSON.stringify([
    await rowsOf(own, 'SELECT * FROM connection'),
    await rowsOf(own, 'SELECT * FROM refresh_token'),
  ])
  for (const secret of [code, token]) expect(stored).not.toContain(secret)
  for (const text of [
    own.apiKey,
    code,
    token.replace('br_', 'bo_'),
    `br_${own.apiKey.slice(3)}`,
    'br_',
    token.slice(0, -4),
  ])
    expect((await refresh(text)).json.error, text).toBe('invalid_grant')
})

test('purchases are proposed to an app that names its scopes, and granted like any other @connect-27', async () => {
  const { newAgent, ask, allowed, exchange } = await app()
  const proposedFor = async (scope: string | undefined) => {
    const shown = await own.asOwner('GET', `/connections/requests/${await ask({ scope })}`)
    const { scopes, proposed } = shown.json.data
    expect(scopes, 'what it asks for').toContain('x402_payments:write')
    return proposed.group.scopes
  }
  const named = 'x402_payments:write email_payments:write payment_context:read'
  expect(await proposedFor(named)).toEqual(['email_payments:write', 'x402_payments:write'])
  for (const everything of [undefined, allScopes.join(' ')]) expect(await proposedFor(everything)).toEqual(sendScopes)

  const scopes = ['x402_payments:write', 'address_payments:write']
  const agent = { ...newAgent, name: 'Buyer', policyGroup: { ...newAgent.policyGroup, scopes } }
  const { code } = await allowed({ agent })
  expect((await exchange(code)).json.scope).toBe('address_payments:write x402_payments:write payment_context:read')
})

test('a registration keeps valid redirects and a short name; one address may register 20 apps an hour @connect-14', async () => {
  const three = ['cursor://anysphere.cursor-mcp/oauth/callback', 'javascript:alert(1)', redirectUri]
  const good = await register(api, {
    redirect_uris: three,
    client_name: `<b>${'x'.repeat(500)}`,
    token_endpoint_auth_method: 'client_secret_post',
  })
  expect(good.status, good.text).toBe(201)
  expect(good.json).toMatchObject({ redirect_uris: [three[0], three[2]], token_endpoint_auth_method: 'none' })
  expect(good.json).not.toHaveProperty('client_secret')
  expect([...good.json.client_name]).toHaveLength(40)
  for (const client_name of ['Bursar', 'B.u.r.s.a.r', undefined, null])
    expect((await register(api, { client_name })).json, String(client_name)).not.toHaveProperty('client_name')
  expect((await register(api, { grant_types: null, response_types: null })).status).toBe(201)
  for (const [body, error] of [
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://a.example' }, 'invalid_redirect_uri'],
    [{ redirect_uris: [`${env.APP_ORIGIN}/dashboard`] }, 'invalid_redirect_uri'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
  ] as const) {
    const { status, json } = await register(api, body)
    expect([status, json.error], JSON.stringify(body)).toEqual([400, error])
  }
  const raw = await api.call('POST', '/oauth/register', {
    raw: formOf({ a: 'b' }),
    headers: { 'content-type': 'text/plain' },
  })
  expect(raw.json.error).toBe('invalid_client_metadata')
  const statuses: number[] = []
  for (let i = 0; i < 21; i++) statuses.push((await register(api, {}, '203.0.113.50')).status)
  expect(statuses).toEqual([...Array(20).fill(201), 429])
})
