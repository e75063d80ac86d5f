/** Apps whose website says who they are, and the device grant of our command line. */
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import {
  type ConnectingApp,
  createConnectingApp,
  formOf,
  password,
  redirectUri,
  register,
} from '../support/connectingApp.ts'
import { setClock } from '../support/treasuries.ts'
import { type Api, createUser, env } from './apiClient.ts'

let api: Api
let own: AccountFixture
let start: number
beforeAll(async () => {
  api = await createTestApp()
  own = await createAccountFixture(api)
  await setClock(own, () => api.clock.now)
  // After the owner signed in.
  start = api.clock.now += 1_000
}, 60_000)

const network = globalThis.fetch
let apps = 0
let site: { id: string; respond: () => Response | Promise<Response>; fetched: string[] }
let app: ConnectingApp
beforeEach(async () => {
  const id = `https://app${++apps}.example/client.json`
  site = { id, respond: () => metadata(), fetched: [] }
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
    const url = new Request(input).url
    if (!/^https:\/\/[\w-]+\.example\//.test(url)) return network(input, init)
    expect(init).toMatchObject({ redirect: 'manual' })
    site.fetched.push(url)
    return Promise.resolve(site.respond())
  })
  app = await createConnectingApp(api, own, { clientId: id })
})
afterEach(() => {
  vi.unstubAllGlobals()
  api.clock.now = start
})

function metadata(changes: object = {}, init: ResponseInit = {}): Response {
  const about = { client_id: site.id, client_name: 'Site app', redirect_uris: [redirectUri], ...changes }
  return Response.json(about, init)
}

test('an app is known by its website, which is asked only once somebody has signed in, and again at the exchange @connect-15', async () => {
  const { ask, allow, exchange, calls } = app
  const request = await ask()
  expect(site.fetched).toEqual([])
  const shown = (await own.asOwner('GET', `/connections/requests/${request}`)).json.data
  expect(shown.app).toEqual({ name: 'Site app', kind: 'website', host: new URL(site.id).host })
  const redirect = new URL((await allow(request)).json.data.redirect)
  const { status, json, text } = await exchange(redirect.searchParams.get('code')!)
  expect([status, await calls(json.access_token)], text).toEqual([200, 200])
  expect(site.fetched).toHaveLength(3)
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
])('an app that changes %s between consent and exchange gets nothing @connect-17', async (_, change) => {
  const { allowed, exchange, connections } = app
  const { code } = await allowed()
  site.respond = () => metadata(change)
  expect((await exchange(code)).json.error).toBe('invalid_grant')
  site.respond = () => new Response('', { status: 500 })
  expect((await exchange(code)).json.error).toBe('invalid_client')
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

const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
const device = (parameters: Record<string, string> = {}, from = '198.51.100.1') =>
  api.call('POST', '/oauth/device', {
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
  const replies = await Promise.all(Array.from({ length: 10 }, () => poll(json.device_code)))
  const tokens = replies.filter(({ status }) => status === 200)
  expect(tokens).toHaveLength(1)
  expect(await app.calls(tokens[0]!.json.access_token), 'it is still connected').toBe(200)
  expect((await poll(json.device_code)).json.error).toBe('invalid_grant')
  expect((await allow({ password })).status).toBe(410)
  expect((await enter(json.user_code)).status).toBe(404)
})

test('device codes are for our own command line, expire, may be denied, and cannot be guessed or piled up @connect-20', async () => {
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
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) statuses.push((await device({}, '203.0.113.60')).status)
  expect(statuses).toEqual([200, 200, 200, 200, 429])
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
