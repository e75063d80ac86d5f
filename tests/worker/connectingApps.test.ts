/** Apps whose website says who they are, and the device grant of our command line. */
import { createHash, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { devicePolls, websiteFetches } from '../../worker/services/quotas.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import {
  asForm,
  type ConnectingApp,
  createConnectingApp,
  formOf,
  password,
  redirectUri,
  register,
} from '../support/connectingApp.ts'
import { noLimits } from '../support/limits.ts'
import { setClock } from '../support/treasuries.ts'
import { type Api, createUser, env, type Options } from './apiClient.ts'

let api: Api
let own: AccountFixture
let start: number
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api)
  await setClock(own, () => api.clock.now)
  // After the owner signed in.
  start = api.clock.now += 1_000
})

const network = globalThis.fetch
let apps = 0
let site: {
  id: string
  respond: () => Response | Promise<Response>
  /** What is at the address of its keys. */
  keys: () => Response | Promise<Response>
  fetched: string[]
}
let app: ConnectingApp
let unlimited: { mockRestore(): void }
beforeEach(async () => {
  const id = `https://app${++apps}.example/client.json`
  site = { id, respond: () => metadata(), keys: () => new Response('', { status: 404 }), fetched: [] }
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
    const url = new Request(input).url
    if (!/^https:\/\/[\w-]+\.example\//.test(url)) return network(input, init)
    expect(init).toMatchObject({ redirect: 'manual' })
    site.fetched.push(url)
    return Promise.resolve(url.endsWith('/keys.json') ? site.keys() : site.respond())
  })
  app = await createConnectingApp(api, own, { clientId: id })
  unlimited = vi.spyOn(websiteFetches, 'take').mockReturnValue(1)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  api.clock.now = start
})

function metadata(changes: object = {}, init: ResponseInit = {}): Response {
  const about = { client_id: site.id, client_name: 'Site app', redirect_uris: [redirectUri], ...changes }
  return Response.json(about, init)
}

/** Shows the request, allows it half a minute later, and returns the code half a minute after the document was read. */
async function codeAfterAMinute(): Promise<string> {
  const request = await app.ask()
  expect((await own.asOwner('GET', `/connections/requests/${request}`)).status).toBe(200)
  api.clock.now += 30_000
  const { status, json, text } = await app.allow(request)
  expect(status, text).toBe(200)
  api.clock.now += 30_000
  return new URL(json.data.redirect).searchParams.get('code')!
}

test('an app is known by its website, which is asked only once somebody has signed in, and again at the exchange @connect-15', async () => {
  const { ask, exchange, calls } = app
  const request = await ask()
  expect(site.fetched).toEqual([])
  const shown = (await own.asOwner('GET', `/connections/requests/${request}`)).json.data
  expect(shown.app).toEqual({ name: 'Site app', kind: 'website', host: new URL(site.id).host })
  api.clock.now += minuteMs
  const { status, json, text } = await exchange(await codeAfterAMinute())
  expect([status, await calls(json.access_token)], text).toEqual([200, 200])
  expect(site.fetched).toEqual([site.id, site.id, site.id])
})

test.each<[string, () => Response | Promise<Response>]>([
  ['is missing', () => new Response('', { status: 404 })],
  ['is elsewhere', () => Response.redirect('https://other.example/client.json', 302)],
  ['is huge', () => metadata({ padding: 'x'.repeat(6_000) })],
  ['never ends', () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(2_000)) }))],
  ['cannot be reached', () => Promise.reject(new TypeError('network'))],
  ['is too slow', () => Promise.reject(new DOMException('slow', 'TimeoutError'))],
  ['is not JSON', () => new Response('<html>')],
  ['names another app', () => metadata({ client_id: 'https://other.example/client.json' })],
  ['wants a secret', () => metadata({ token_endpoint_auth_method: 'client_secret_post' })],
  ['signs, but has no keys', () => metadata({ token_endpoint_auth_method: 'private_key_jwt' })],
  [
    'has its keys inside a network',
    () => metadata({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://10.0.0.1/keys.json' }),
  ],
  ['names other redirects', () => metadata({ redirect_uris: ['https://other.example/cb'] })],
  ['names only scripts', () => metadata({ redirect_uris: ['javascript:alert(1)'] })],
  ['uses another grant', () => metadata({ grant_types: ['client_credentials'] })],
])('an app whose document %s can neither be allowed nor denied @connect-16', async (_, respond) => {
  site.respond = respond
  const request = await app.ask()
  const answers = [
    await own.asOwner('GET', `/connections/requests/${request}`),
    await app.allow(request),
    await own.asOwner('POST', `/connections/requests/${request}/deny`, {}),
  ]
  for (const { status, json } of answers) expect([status, json.code]).toEqual([422, 'unprocessable'])
})

test.each([
  ['its redirects', { redirect_uris: [redirectUri, 'https://evil.example/cb'] }],
  ['its name', { client_name: 'Another' }],
  ['how it authenticates', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }],
])('an app that changes %s between consent and exchange gets nothing @connect-17', async (_, change) => {
  const { exchange, connections } = app
  const code = await codeAfterAMinute()
  site.respond = () => new Response('', { status: 500 })
  expect((await exchange(code)).json.error, 'it may be tried again').toBe('temporarily_unavailable')
  site.respond = () => metadata(change)
  expect((await exchange(code)).json.error).toBe('invalid_grant')
  const { host } = new URL(site.id)
  expect((await connections()).filter((one) => one.app.host === host)).toEqual([])
})

test('a document is kept as its headers say, for an hour at most @connect-18', async () => {
  site.respond = () => metadata({}, { headers: { 'cache-control': 'public, max-age=86400' } })
  const look = async () => (await own.asOwner('GET', `/connections/requests/${await app.ask()}`)).status
  expect([await look(), await look()]).toEqual([200, 200])
  expect(site.fetched).toHaveLength(1)
  api.clock.now += 61 * minuteMs
  const { asOwner } = await createUser(api)
  await asOwner('GET', `/connections/requests/${await app.ask()}`)
  expect(site.fetched).toHaveLength(2)
})

test('one person has at most 20 files fetched in a minute, and each file once in a minute whatever its headers say @safety-11', async () => {
  unlimited.mockRestore()
  site.respond = () => metadata({}, { headers: { 'cache-control': 'no-store' } })
  const { asOwner } = await createUser(api)
  const request = await app.ask()
  for (let i = 0; i < 5; i++) expect((await asOwner('GET', `/connections/requests/${request}`)).status).toBe(200)
  expect(site.fetched).toHaveLength(1)
  const statuses: number[] = []
  for (let i = 0; i < 21; i++) {
    const client_id = `https://other${i}.example/client.json`
    statuses.push((await asOwner('GET', `/connections/requests/${await app.ask({ client_id })}`)).status)
  }
  expect(statuses).toEqual([...Array(19).fill(422), 429, 429])
  expect(site.fetched).toHaveLength(20)
})

test('a code or token that is not valid for this app makes the Worker fetch nothing @safety-21', async () => {
  const { allowed, exchange, refresh } = app
  const { code } = await allowed()
  const { refresh_token: token } = (await exchange(code)).json
  api.clock.now += minuteMs
  const before = site.fetched.length
  const others = Array.from({ length: 50 }, (_, i) => ({ client_id: `https://victim${i}.example/client.json` }))
  for (const other of others) {
    expect((await exchange(code, other)).json.error).toMatch(/invalid_grant|temporarily_unavailable/)
    const assertion = { client_assertion: 'e30.e30.', client_assertion_type: 'x' }
    expect((await refresh(token, { ...other, ...assertion })).json.error).toMatch(
      /invalid_grant|temporarily_unavailable/,
    )
  }
  expect(site.fetched).toHaveLength(before)
})

describe('an app that authenticates with its keys', () => {
  const [keys, otherKeys] = [generateKeyPair('ES256'), generateKeyPair('ES256')]
  const rsa = generateKeyPair('RS256')
  const jwk = async (pair: typeof keys, kid: string) => ({ ...(await exportJWK((await pair).publicKey)), kid })
  const publish = async (...published: [typeof keys, string][]) => {
    const set = await Promise.all(published.map(([pair, kid]) => jwk(pair, kid)))
    site.keys = () => Response.json({ keys: set })
  }
  beforeEach(async () => {
    const jwks_uri = `${new URL(site.id).origin}/keys.json`
    site.respond = () => metadata({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri })
    await publish([keys, 'one'])
  })

  type Changes = { alg?: string; kid?: string; pair?: typeof keys; claims?: Record<string, unknown>; in?: number }
  async function assertion({ alg = 'ES256', kid = 'one', pair = keys, claims = {}, in: seconds = 300 }: Changes = {}) {
    const now = Math.floor(api.clock.now / 1000)
    const usual = { iss: site.id, sub: site.id, aud: env.API_ORIGIN, iat: now, exp: now + seconds, jti: randomUUID() }
    const jwt = new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid })
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await jwt.sign((await pair).privateKey),
    }
  }

  test('connects and renews with assertions, each of which works once @connect-30', async () => {
    const { allowed, exchange, refresh, calls, connections } = app
    const { code } = await allowed()
    expect((await exchange(code)).json).toMatchObject({ error: 'invalid_client' })
    // It names itself in the assertion only (RFC 7521 section 4.2).
    const first = await exchange(code, { client_id: '', ...(await assertion()) })
    expect([first.status, await calls(first.json.access_token)], first.text).toEqual([200, 200])
    const { refresh_token: token } = first.json
    expect((await refresh(token)).json).toMatchObject({ error: 'invalid_client' })
    const again = await assertion({ claims: { aud: [`${env.API_ORIGIN}/oauth/token`, `${env.API_ORIGIN}/`] } })
    const second = await refresh(token, again)
    expect(second.status, second.text).toBe(200)
    expect((await refresh(second.json.refresh_token, again)).json).toMatchObject({ error: 'invalid_client' })
    const reusable = await assertion({ claims: { jti: undefined } })
    expect((await refresh(second.json.refresh_token, reusable)).status).toBe(200)
    expect((await connections()).some((one) => one.app.host === new URL(site.id).host)).toBe(true)
  })

  test.each<[string, Changes & { type?: string; text?: (valid: string) => string }]>([
    ['is signed by another key', { pair: otherKeys }],
    ['names a key that is not published', { pair: otherKeys, kid: 'two' }],
    ['has expired', { in: -61 }],
    ['is valid for a day', { in: 86_400 }],
    ['never expires', { claims: { exp: undefined } }],
    ['is not valid yet', { claims: { nbf: 4_000_000_000 } }],
    ['is of another app', { claims: { iss: 'https://other.example/client.json' } }],
    ['is about another app', { claims: { sub: 'https://other.example/client.json' } }],
    ['is for another server', { claims: { aud: 'https://other.example' } }],
    ['is for another server too', { claims: { aud: ['https://other.example', 'http://localhost:3001'] } }],
    ['is for nobody', { claims: { aud: undefined } }],
    ['is of another type', { type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
    ['is not signed', { text: (jwt) => `${encode({ alg: 'none' })}.${jwt.split('.')[1]}.` }],
    ['has another content', { text: (jwt) => jwt.replace(/\.[^.]+\./, `.${encode({ sub: 'x' })}.`) }],
    ['is not a token', { text: () => 'nonsense' }],
  ])('is refused if its assertion %s @connect-31', async (_, { type, text, ...changes }) => {
    const { allowed, exchange, connections } = app
    const { code } = await allowed()
    const sent = await assertion(changes)
    const { status, json } = await exchange(code, {
      client_assertion_type: type ?? sent.client_assertion_type,
      client_assertion: text?.(sent.client_assertion) ?? sent.client_assertion,
    })
    expect([status, json.error]).toEqual([401, 'invalid_client'])
    const { host } = new URL(site.id)
    expect((await connections()).filter((one) => one.app.host === host)).toEqual([])
    expect((await exchange(code, await assertion())).status, 'the code is still good').toBe(200)
  })

  test('is refused if it signs with the public key as a secret @connect-32', async () => {
    const { code } = await app.allowed()
    const { x } = await jwk(keys, 'one')
    const secret = new SignJWT({ iss: site.id, sub: site.id, aud: env.API_ORIGIN, exp: api.clock.now / 1000 + 60 })
    const client_assertion = await secret.setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(Buffer.from(x!))
    const { client_assertion_type } = await assertion()
    expect((await app.exchange(code, { client_assertion, client_assertion_type })).json.error).toBe('invalid_client')
  })

  test('may use another key, of another kind, once its website has it @connect-33', async () => {
    const { refresh } = app
    const first = await connectWith(await assertion())
    await publish([otherKeys, 'one'], [rsa, 'two'])
    const signed = () => assertion({ pair: rsa, alg: 'RS256', kid: 'two' })
    const soon = await refresh(first.refresh_token, await signed())
    expect(soon.json.error, 'the keys were read just now').toBe('invalid_client')
    api.clock.now += minuteMs
    expect((await refresh(first.refresh_token, await signed())).status).toBe(200)
    const unnamed = await assertion({ pair: otherKeys, kid: undefined as never })
    expect((await refresh(first.refresh_token, unnamed)).status, 'without kid, among several').toBe(200)
    site.keys = () => new Response('', { status: 500 })
    api.clock.now += minuteMs
    expect((await refresh(first.refresh_token, await signed())).json.error).toBe('temporarily_unavailable')
  })

  async function connectWith(extra: Record<string, string>) {
    const { code } = await app.allowed()
    const { status, json, text } = await app.exchange(code, extra)
    expect(status, text).toBe(200)
    return json as { access_token: string; refresh_token: string }
  }

  test('may have its keys in the document @connect-34', async () => {
    const jwks = { keys: [await jwk(keys, 'one')] }
    site.respond = () => metadata({ token_endpoint_auth_method: 'private_key_jwt', jwks })
    await connectWith(await assertion())
  })
})

test.each<[string, object]>([
  ['without anything optional', { client_name: undefined }],
  [
    'with null for what it does not need',
    { client_name: null, token_endpoint_auth_method: null, grant_types: null, response_types: null, jwks_uri: null },
  ],
  [
    'that may sign, or not',
    {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    },
  ],
  [
    'that may not sign, or may',
    { token_endpoint_auth_method: 'none', token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] },
  ],
  ['with what nobody knows', { software_id: 7, logo_uri: 'javascript:alert(1)', contacts: 'x' }],
])('a document %s is accepted @connect-35', async (_, changes) => {
  site.respond = () => metadata(changes)
  const { code } = await app.allowed()
  expect((await app.exchange(code)).status).toBe(200)
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const device = (parameters: Record<string, string> = {}, from = '198.51.100.1', more: Options = {}) =>
  api.call('POST', '/oauth/device', {
    ...more,
    raw: formOf({ client_id: 'bursar-cli', ...parameters }),
    headers: asForm,
    from,
    cf: { country: 'DE' },
  })
const grant = 'urn:ietf:params:oauth:grant-type:device_code'
const poll = (deviceCode: string, clientId = 'bursar-cli') =>
  api.call('POST', '/oauth/token', {
    raw: formOf({ grant_type: grant, client_id: clientId, device_code: deviceCode }),
    headers: asForm,
  })
const enter = (userCode: string, asOwner = own.asOwner) => asOwner('POST', '/connections/device', { userCode })

test('a device is connected once by the code that it shows, with the password, and its code does not work again @connect-19', async () => {
  const { json, headers } = await device()
  expect(headers.get('cache-control')).toBe('no-store')
  expect(json).toEqual({
    ...{ device_code: expect.any(String), user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/) },
    ...{ verification_uri: `${env.APP_ORIGIN}/device`, expires_in: 600, interval: 5 },
  })
  expect((await poll(json.device_code)).json.error).toBe('authorization_pending')
  expect((await poll(json.device_code)).json.error).toBe('slow_down')
  expect((await poll(json.device_code, app.clientId)).json.error).toBe('invalid_grant')
  const found = await enter(json.user_code.toLowerCase().replace('-', ' '))
  expect(found.status, found.text).toBe(200)
  const request = found.json.data.requestId
  const shown = (await own.asOwner('GET', `/connections/requests/${request}`)).json.data
  expect(shown).toMatchObject({
    app: { name: 'Bursar CLI', kind: 'command_line', host: null },
    destination: { type: 'device', askedAt: new Date(api.clock.now).toISOString(), place: 'DE' },
    passwordRequired: true,
  })
  const body = { agent: { type: 'existing', agentId: own.agent } }
  const allow = (more: object) => own.asOwner('POST', `/connections/requests/${request}/allow`, { ...body, ...more })
  expect((await allow({})).json.code).toBe('password_required')
  const answers = [await allow({ password }), await allow({ password })]
  expect(answers.map(({ status, json: { data } }) => [status, data])).toEqual(Array(2).fill([200, { redirect: null }]))
  expect((await poll(json.device_code)).json.error, 'it still has to wait').toBe('slow_down')
  // As polls that arrive at several isolates.
  const polls = vi.spyOn(devicePolls, 'take').mockReturnValue(0)
  const replies = await Promise.all(Array.from({ length: 10 }, () => poll(json.device_code)))
  const tokens = replies.filter(({ status }) => status === 200)
  expect(tokens).toHaveLength(1)
  expect(await app.calls(tokens[0]!.json.access_token), 'it is still connected').toBe(200)
  expect((await poll(json.device_code)).json.error).toBe('invalid_grant')
  polls.mockRestore()
  expect((await allow({ password })).status).toBe(410)
  expect((await enter(json.user_code)).status).toBe(404)
})

test('device codes are for our own command line, expire, may be denied, and cannot be guessed @connect-20', async () => {
  expect((await device({ client_id: app.clientId })).json.error).toBe('unauthorized_client')
  const [late, denied] = [(await device()).json, (await device()).json]
  const request = (await enter(denied.user_code)).json.data.requestId
  expect((await own.asOwner('POST', `/connections/requests/${request}/deny`, {})).json.data).toEqual({ redirect: null })
  expect((await poll(denied.device_code)).json.error).toBe('access_denied')
  api.clock.now += 10 * minuteMs
  expect((await poll(late.device_code)).json.error).toBe('expired_token')
  expect((await enter(late.user_code)).status).toBe(404)
  api.clock.now = start

  const guesser = await createUser(api)
  const guesses: number[] = []
  for (let i = 0; i < 6; i++) guesses.push((await enter('BBBB-BBBB', guesser.asOwner)).status)
  expect(guesses).toEqual([...Array(5).fill(404), 429])
  const opened = (await device({}, '203.0.113.60')).json
  expect((await enter(opened.user_code, guesser.asOwner)).status, 'even the right one').toBe(429)
})

test('who shares an address with a flood of device requests can still sign a device in @safety-7', async () => {
  const from = '203.0.113.61'
  const opened = (await device({}, from)).json
  const request = (await enter(opened.user_code)).json.data.requestId
  expect((await own.asOwner('GET', `/connections/requests/${request}`)).status).toBe(200)
  const waiting = (await device({}, from)).json
  const flood = await Promise.all(Array.from({ length: 90 }, () => device({}, from)))
  expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await enter(waiting.user_code)).status, 'it is one of the newest hundred').toBe(200)
  for (let i = 0; i < 15; i++) await device({}, from)
  const kept = await env.DB.prepare('SELECT count(*) AS n FROM connection_request WHERE address_hash = ?')
    .bind(createHash('sha256').update(from).digest('hex'))
    .first<number>('n')
  expect(kept, 'a hundred that wait, and the one that was opened').toBe(101)
  expect((await own.asOwner('GET', `/connections/requests/${request}`)).status).toBe(200)
  const limited = { ...env, LIMITS: JSON.stringify({ ...noLimits, connectingCallsPerMinute: 20 }) }
  const tooMany = await Promise.all(Array.from({ length: 30 }, () => device({}, from, { env: limited })))
  expect(tooMany.map(({ status }) => status)).toContain(429)
})

test('polls of a device that are invented or too early do not read D1 @safety-10', async () => {
  const { device_code } = (await device()).json
  expect((await poll(device_code)).json.error).toBe('authorization_pending')
  const prepared = vi.spyOn(env.DB, 'withSession')
  for (let i = 0; i < 20; i++) expect((await poll(device_code)).json.error).toBe('slow_down')
  for (let i = 0; i < 20; i++) expect((await poll(`bd_${i}`)).json.error).toBe('invalid_grant')
  expect(prepared).not.toHaveBeenCalled()
  api.clock.now += 5_000
  expect((await poll(device_code)).json.error).toBe('authorization_pending')
  expect(prepared).toHaveBeenCalledTimes(1)
  prepared.mockRestore()
})

test('a program that registers anew is offered the agent of its ended connection, but never of one in use @connect-26', async () => {
  const registered = async (client_name: string) => {
    const { client_id: clientId } = (await register(api, { client_name })).json
    return createConnectingApp(api, own, { clientId })
  }
  const offered = async ({ ask }: ConnectingApp, redirect_uri = redirectUri) => {
    const request = await ask({ redirect_uri })
    return (await own.asOwner('GET', `/connections/requests/${request}`)).json.data.existing
  }
  const first = await registered('Porter')
  const { connection } = await first.connect()
  expect(await offered(await registered('Porter')), 'it may be on another computer').toBeNull()
  await own.asOwner('DELETE', `/connections/${connection}`)
  expect(await offered(await registered('Porter'))).toMatchObject({ agentName: 'Helper' })
  expect(await offered(await registered('Porter'), redirectUri.replace('5000', '6000')), 'any port').not.toBeNull()
  expect(await offered(await registered('Sporter'))).toBeNull()
  const unnamed = await registered('Bursar')
  await own.asOwner('DELETE', `/connections/${(await unnamed.connect()).connection}`)
  expect(await offered(await registered('Bursar')), 'a name that nobody has').toBeNull()
})
