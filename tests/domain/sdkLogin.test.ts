/** `bursar login` against a server that replies as told. tests/gateway/login.test.ts uses the real one. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { run } from '../../sdk/src/cli/run.ts'

const url = 'https://bursar.example'
const device = {
  ...{ device_code: 'bd_secret', user_code: 'BCDF-GHJK', verification_uri: `${url}/device` },
  ...{ expires_in: 600, interval: 5 },
}
const context = {
  agent: { id: 'agt_1', name: 'Terminal' },
  policy_group: { id: 'grp_1', name: 'Terminals' },
  budget: { limit: '20', spent: '0', held: '0', remaining: '20' },
  max_allowed_now: '20',
  max_without_asking: '5',
  rules: [],
}
const tokens = (n: number) => ({ access_token: `at_${n}`, refresh_token: `br_${n}`, expires_in: 900, scope: '' })
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers })
const refused = (error: string, status = 400) => json(status, { error, error_description: `Because of ${error}.` })
const expired = () => json(401, { type: 'x', title: 'x', status: 401, code: 'unauthenticated', detail: 'Not valid.' })
const dropped = () => {
  throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
}

type Sent = { path: string; form: Record<string, string>; token: string | null; at: number }
type Server = (request: Sent, count: number) => Response | Promise<Response>

let home: string
let now: number
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bursar-login-'))
  now = Date.UTC(2026, 10, 20)
})
afterEach(() => {
  vi.unstubAllGlobals()
  rmSync(home, { recursive: true })
})

const path = () => join(home, 'bursar/login.json')
const kept = () => JSON.parse(readFileSync(path(), 'utf8'))
const signIn = (over: object = {}) => {
  const login = { url, accessToken: 'at_0', refreshToken: 'br_0', freshUntil: now + 600_000, ...over }
  mkdirSync(dirname(path()), { recursive: true })
  writeFileSync(path(), JSON.stringify(login))
}

/** Replies to the requests of all commands; `count` says how often this path was requested before. */
function serve(handlers: Record<string, Server>): Sent[] {
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url)
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    const one = { path: pathname, form, token: request.headers.get('authorization'), at: now }
    const count = sent.filter((each) => each.path === pathname).length
    sent.push(one)
    const reply = (handlers[pathname] ?? (() => json(404, {})))(one, count)
    return (await reply).clone()
  })
  return sent
}

/** Runs a command; its pauses end at once, and move the clock. */
async function bursar(args: string[], over: { environment?: object; isTerminal?: boolean; signal?: AbortSignal } = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await run(args, {
    environment: { XDG_CONFIG_HOME: home, ...over.environment },
    isTerminal: over.isTerminal ?? true,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    write: () => {},
    signal: over.signal ?? new AbortController().signal,
    clock: {
      now: () => now,
      pause: async (ms, signal) => {
        signal.throwIfAborted()
        now += ms
      },
    },
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** A server at which somebody enters the code before the last of these replies. */
const answering = (...replies: (() => Response)[]) =>
  serve({
    '/oauth/device': () => json(200, device),
    '/oauth/token': (_, count) => replies[Math.min(count, replies.length - 1)]!(),
    '/v1/context': () => json(200, context),
  })

test('shows the code, asks at the interval and slower when told, and keeps the tokens where only the user reads them @login-1', async () => {
  const sent = answering(
    () => refused('authorization_pending'),
    () => refused('slow_down'),
    () => refused('authorization_pending'),
    dropped,
    () => json(200, tokens(1)),
  )
  const { code, out, err } = await bursar(['login', '--url', url])
  expect(code, err).toBe(0)
  expect(err).toContain(`Open ${url}/device on any device, and enter this code:\n\n  BCDF-GHJK\n`)
  expect(err + out).not.toMatch(/bd_|at_|br_/)
  expect(out).toMatch(/^Signed in at https:\/\/bursar\.example\.\nAgent +Terminal, in Terminals\n/)
  const polls = sent.filter((each) => each.path === '/oauth/token')
  const grant = 'urn:ietf:params:oauth:grant-type:device_code'
  expect(polls[0]!.form).toEqual({ client_id: 'bursar-cli', grant_type: grant, device_code: 'bd_secret' })
  const start = sent[0]!.at
  expect(polls.map(({ at }) => (at - start) / 1000)).toEqual([5, 10, 20, 30, 45])
  expect(kept()).toEqual({ url, accessToken: 'at_1', refreshToken: 'br_1', freshUntil: now + 840_000 })
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, 'bursar')).mode & 0o777).toBe(0o700)
  expect(readdirSync(join(home, 'bursar'))).toEqual(['login.json'])
  expect(sent.at(-1)).toMatchObject({ path: '/v1/context', token: 'Bearer at_1' })
})

test('prints JSON where results are JSON, and says if an API key hides the login @login-2', async () => {
  answering(() => json(200, tokens(1)))
  const environment = { BURSAR_URL: url, BURSAR_API_KEY: 'bk_other' }
  const { code, out, err } = await bursar(['login'], { isTerminal: false, environment })
  const { agent, policy_group } = context
  expect([code, JSON.parse(out)]).toEqual([0, { url, file: path(), agent, policy_group }])
  const [prompt, warning] = err.split('\n').map((line) => JSON.parse(line))
  expect(prompt).toEqual({ user_code: 'BCDF-GHJK', verification_uri: `${url}/device`, expires_in: 600 })
  expect(warning).toEqual({ warning: expect.stringContaining('BURSAR_API_KEY') })
})

test.each<[string, number, () => Response]>([
  ['denied', 3, () => refused('access_denied')],
  ['expired', 5, () => refused('expired_token')],
  ['used already, whose reply was lost', 5, () => refused('invalid_grant')],
  ['entered by nobody', 5, () => refused('authorization_pending')],
])('a code that is %s ends with %i, and nothing is kept @login-3', async (_, code, reply) => {
  answering(reply)
  expect(await bursar(['login', '--url', url])).toMatchObject({ code, out: '' })
  expect(readdirSync(join(home, 'bursar'))).toEqual([])
})

test('Ctrl-C ends the wait; another server, plain http and a folder that cannot be written are reported first @login-4', async () => {
  const stop = new AbortController()
  answering(() => {
    stop.abort(new Error('interrupted'))
    return refused('authorization_pending')
  })
  expect(await bursar(['login', '--url', url], { signal: stop.signal })).toMatchObject({ code: 5 })
  const sent = serve({ '/oauth/device': () => new Response('<html>', { status: 404 }) })
  expect(await bursar(['login', '--url', url])).toMatchObject({
    code: 2,
    err: `${url} replied with status 404. Is this the URL of Bursar?`,
  })
  const before = sent.length
  expect(await bursar(['login', '--url', 'http://bursar.example'])).toMatchObject({ code: 2 })
  writeFileSync(join(home, 'file'), '')
  const environment = { XDG_CONFIG_HOME: join(home, 'file') }
  expect(await bursar(['login', '--url', url], { environment })).toMatchObject({ code: 2 })
  expect(sent).toHaveLength(before)
  serve({ '/oauth/device': dropped })
  expect(await bursar(['login', '--url', url])).toMatchObject({ code: 6 })
})

/** A token endpoint with its rule for refresh tokens: one successor, and for a day access only. */
function rotating() {
  let issued = 0
  const exchanged = new Map<string, { at: number; successor: string }>()
  return ({ form }: Sent): Response => {
    const { refresh_token, ...access } = tokens(++issued)
    const earlier = exchanged.get(form.refresh_token!)
    if (!earlier) exchanged.set(form.refresh_token!, { at: now, successor: refresh_token })
    if (!earlier) return json(200, { refresh_token, ...access })
    const since = now - earlier.at
    if (since < 60_000) return json(200, { ...access, refresh_token: earlier.successor })
    return since < 86_400_000 ? json(200, access) : refused('invalid_grant')
  }
}

test('a command renews a token that is old or was not accepted, whatever the clock says @login-5', async () => {
  signIn({ freshUntil: now })
  let accepted = 'Bearer at_1'
  const sent = serve({
    '/oauth/token': rotating(),
    '/v1/context': ({ token }) => (token === accepted ? json(200, context) : expired()),
  })
  expect(await bursar(['budget'])).toMatchObject({ code: 0 })
  expect(sent[0]!.form).toEqual({ client_id: 'bursar-cli', grant_type: 'refresh_token', refresh_token: 'br_0' })
  expect(kept()).toMatchObject({ accessToken: 'at_1', refreshToken: 'br_1' })
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  accepted = 'Bearer at_2'
  now -= 86_400_000 // by this clock, the token will be fresh for a day
  expect(await bursar(['budget'])).toMatchObject({ code: 0 })
  expect(kept()).toMatchObject({ refreshToken: 'br_2' })
  expect(sent.map(({ path: to }) => to)).toEqual([
    ...['/oauth/token', '/v1/context'],
    ...['/v1/context', '/oauth/token', '/v1/context'],
  ])
})

test('five commands that renew at once all work: those that come last use what another has kept @login-6', async () => {
  signIn({ freshUntil: now })
  const endpoint = rotating()
  const sent = serve({ '/oauth/token': endpoint, '/v1/context': () => json(200, context) })
  const all = await Promise.all(Array.from({ length: 5 }, () => bursar(['budget'])))
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
  expect(sent.filter(({ form }) => form.refresh_token === 'br_0').length).toBeGreaterThanOrEqual(2)
  now = kept().freshUntil
  expect(await bursar(['budget']), 'what was kept last still works').toMatchObject({ code: 0 })
})

test('a reply without a refresh token keeps the one that is there, or that another command has kept meanwhile @login-13', async () => {
  const endpoint = rotating()
  const renewed = endpoint({ form: { refresh_token: 'br_0' } } as unknown as Sent)
  now += 120_000
  signIn({ freshUntil: now })
  serve({ '/oauth/token': endpoint, '/v1/context': () => json(200, context) })
  expect(await bursar(['budget'])).toMatchObject({ code: 0 })
  expect(kept()).toMatchObject({ accessToken: 'at_2', refreshToken: 'br_0' })

  const { refresh_token: newest } = (await renewed.json()) as { refresh_token: string }
  signIn({ freshUntil: now })
  serve({
    '/oauth/token': (request) => {
      signIn({ refreshToken: newest })
      return endpoint(request)
    },
    '/v1/context': () => json(200, context),
  })
  expect(await bursar(['budget'])).toMatchObject({ code: 0 })
  expect(kept()).toMatchObject({ accessToken: 'at_3', refreshToken: newest })
})

test('a renewal whose reply is lost is repeated within a minute, and otherwise the command ends with 6 @login-7', async () => {
  signIn({ freshUntil: now })
  const endpoint = rotating()
  const sent = serve({
    '/oauth/token': (request, count) => {
      const reply = endpoint(request)
      return count === 0 ? dropped() : reply
    },
    '/v1/context': () => json(200, context),
  })
  expect(await bursar(['budget'])).toMatchObject({ code: 0 })
  expect(sent.filter(({ path: to }) => to === '/oauth/token')).toHaveLength(2)
  signIn({ freshUntil: now, refreshToken: 'br_9' })
  const start = now
  serve({ '/oauth/token': dropped })
  const paying = await bursar(['pay', '0x8ba1f109551bD432803012645Ac136ddd64DBA72', '1', '--key', 'k-1'])
  expect(paying).toMatchObject({ code: 6, err: expect.stringContaining('--key k-1') })
  expect(now - start).toBeLessThan(60_000)
  expect(kept().refreshToken, 'the login is not given up').toBe('br_9')
})

test('5: after the login was revoked, it is deleted; it is for its own URL only, and an API key comes first @login-8', async () => {
  signIn()
  const other = await bursar(['budget'], { environment: { BURSAR_URL: 'https://other.example' } })
  expect(other).toMatchObject({ code: 5, err: expect.stringContaining('https://other.example') })
  const sent = serve({ '/v1/context': () => json(200, context) })
  const environment = { BURSAR_API_KEY: 'bk_1', BURSAR_URL: 'https://other.example' }
  expect(await bursar(['budget'], { environment })).toMatchObject({ code: 0 })
  expect(sent.map(({ token }) => token)).toEqual(['Bearer bk_1'])
  serve({ '/v1/context': expired, '/oauth/token': () => refused('invalid_grant') })
  const revoked = await bursar(['budget'])
  expect([revoked.code, revoked.err]).toEqual([5, 'Your login was revoked or has expired. Run bursar login.'])
  expect(await bursar(['budget'])).toMatchObject({ code: 5, err: expect.stringContaining('Run bursar login') })
  writeFileSync(path(), '{')
  expect(await bursar(['budget'])).toMatchObject({ code: 2, err: expect.stringContaining(path()) })
})

test('logout revokes and deletes; without a reply the login stays; without a login there is nothing to do @login-9', async () => {
  signIn()
  serve({ '/oauth/revoke': dropped })
  expect(await bursar(['logout'])).toMatchObject({ code: 6 })
  expect(kept().refreshToken).toBe('br_0')
  const sent = serve({ '/oauth/revoke': () => new Response('') })
  expect(await bursar(['logout'])).toEqual({ code: 0, out: `Signed out of ${url}.`, err: '' })
  expect(sent[0]).toMatchObject({ form: { client_id: 'bursar-cli', token: 'br_0' }, token: null })
  expect(readdirSync(join(home, 'bursar'))).toEqual([])
  expect(await bursar(['logout'])).toMatchObject({ code: 0 })
  expect(sent).toHaveLength(1)
})

test('a login replaces the former one, which ends @login-10', async () => {
  signIn()
  const sent = serve({
    '/oauth/device': () => json(200, device),
    '/oauth/token': () => json(200, tokens(1)),
    '/oauth/revoke': () => new Response(''),
    '/v1/context': () => json(200, context),
  })
  expect(await bursar(['login', '--url', url])).toMatchObject({ code: 0 })
  expect(sent.find((each) => each.path === '/oauth/revoke')!.form.token).toBe('br_0')
  expect(kept().refreshToken).toBe('br_1')
})
