/**
 * The Pages project of a launch in `wrangler pages dev`: it serves the built files, and its function forwards the Worker's
 * paths through the service binding to a Worker that says what reaches it. launch.test.ts has the whole product behind it.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { experimental_readRawConfig } from 'wrangler'
import { pagesFolder, preparePages } from '../../launch/pagesConfig.ts'
import { openState } from '../../launch/state.ts'
import { freePort } from '../../local/stack/ports.ts'
import { startWrangler } from '../../local/stack/workerProcess.ts'
import { root } from '../../local/tools/runTool.ts'
import { ownHeaders } from '../support/pagesProbe.ts'

const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') })
const forwarded = rawConfig.assets!.run_worker_first as string[]

const folder = await mkdtemp(join(tmpdir(), 'bursar-pages-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const state = openState(folder)
await preparePages(state, { worker: 'bursar', publicRpcUrl: 'https://node.example/v1', contractSets: {} })
const main = join(root, 'tests/support/pagesProbe.ts')
const probe = { name: 'bursar', main, compatibility_date: rawConfig.compatibility_date }
await writeFile(join(folder, 'probe.json'), JSON.stringify(probe))
const port = await freePort()
const url = `http://localhost:${port}`
const args = ['pages', 'dev', '-c', 'wrangler.json', '-c', '../probe.json']
const pages = await startWrangler({ args, cwd: pagesFolder(state), port, stateDir: folder, show: false })
// Before the folder: the last hook runs first.
afterAll(pages.stop)

type Seen = {
  url: string
  method: string
  headers: Record<string, string>
  cf: { country: string; colo: string }
  body: string
}

test('a request reaches the Worker as it was sent, with the caller’s address and place @hosting-1', async () => {
  const headers = {
    'cf-connecting-ip': '2001:db8::7',
    authorization: 'Bearer key',
    'idempotency-key': 'k1',
    cookie: 'CF_Authorization=jwt',
    'cf-access-jwt-assertion': 'jwt',
    'content-type': 'application/json',
  }
  const reply = await fetch(`${url}/v1/payments?a=1&b=%20`, { method: 'POST', headers, body: '{"amount":"1"}' })
  const seen = (await reply.json()) as Seen
  expect(seen).toMatchObject({ url: `${url}/v1/payments?a=1&b=%20`, method: 'POST', headers, body: '{"amount":"1"}' })
  expect(seen.cf).toMatchObject({
    country: expect.stringMatching(/^[A-Z]{2}$/),
    colo: expect.stringMatching(/^[A-Z]{3}$/),
  })
})

test('a request for the address of an old deployment reaches the Worker under that name @hosting-2', async () => {
  const host = 'f00dbabe.bursar-web.pages.dev'
  const { body } = await request(`${url}/api/health`, { headers: { host } })
  expect(((await body.json()) as Seen).url).toBe(`http://${host}/api/health`)
})

test('replies have the Worker’s own headers only @hosting-3', async () => {
  const { headers } = await fetch(`${url}/api/health`)
  const ofTransport = /^(connection|content-encoding|content-length|content-type|date|keep-alive|transfer-encoding)$/
  const sent = Object.fromEntries([...headers].filter(([name]) => !ofTransport.test(name)))
  expect(sent).toEqual(ownHeaders)
})

test('events arrive while the reply goes on @hosting-4', async () => {
  const reply = await fetch(`${url}/api/events`)
  const reader = reply.body!.getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toBe('data: first\n\n')
  await reader.cancel()
})

test('the paths of wrangler.toml reach the Worker, and no others do @hosting-5', async () => {
  const isForwarded = async (path: string) => (await fetch(url + path)).headers.get('x-own') !== null
  expect(forwarded.length).toBeGreaterThan(10)
  for (const path of forwarded)
    if (path !== '/claim/*') expect(await isForwarded(path.replace('*', 'x/y')), path).toBe(true)
  for (const path of [
    '/',
    '/login',
    '/claim/t',
    '/claim/t/u',
    '/dashboard/agents',
    '/apis',
    '/v1x',
    '/opsx',
    '/recovery',
    '/robots.txt',
  ])
    expect(await isForwarded(path), path).toBe(false)
})

test('files have the headers of web/public/_headers, and any other path is the SPA @hosting-6', async () => {
  const page = await readFile(join(root, 'web/dist/index.html'), 'utf8')
  const policies: string[] = []
  for (const path of ['/', '/login', '/dashboard/agents', '/claim/t/u']) {
    const reply = await fetch(url + path)
    expect([reply.status, await reply.text()], path).toEqual([200, page])
    expect(Object.fromEntries(reply.headers), path).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
    })
    expect(reply.headers.get('access-control-allow-origin'), path).toBeNull()
    policies.push(reply.headers.get('content-security-policy')!)
  }
  const [entry, login, dashboard, claim] = policies
  expect(login).toBe(entry)
  expect(entry).toMatch(/^default-src 'none'; script-src 'self';.* connect-src 'self';/)
  expect(claim, 'the balance of a kept account').toContain(
    "connect-src 'self' https://mainnet.base.org https://sepolia.base.org https://node.example;",
  )
  expect(dashboard).toContain(
    "connect-src 'self' https://mainnet.base.org https://sepolia.base.org https://node.example wss:",
  )
  for (const path of ['/login', '/dashboard/overview'])
    expect((await fetch(url + path)).headers.get('link')).toMatch(/^<\/assets\/.*; rel=modulepreload/)
})

test('the page of a claim link contains the Worker’s reply, and keeps the headers of its file @hosting-9', async () => {
  const page = await readFile(join(root, 'web/dist/index.html'), 'utf8')
  const reply = await fetch(`${url}/claim/pay_1.mac.secret`, { headers: { 'cf-connecting-ip': '2001:db8::7' } })
  const html = await reply.text()
  const [whole, json] = /<script type="application\/json" id="reply">(.*)<\/script>/.exec(html)!
  expect(html.replace(whole!, '')).toBe(page)
  expect(JSON.parse(json!)).toMatchObject({
    status: 200,
    body: {
      url: `${url}/api/escrow/claim/pay_1.mac.secret`,
      method: 'GET',
      headers: { 'cf-connecting-ip': '2001:db8::7' },
    },
  })
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': expect.stringContaining('text/html'),
    'content-security-policy': expect.stringContaining("script-src 'self';"),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    link: expect.stringMatching(/^<\/assets\/.*; rel=modulepreload/),
  })
  expect(reply.headers.get('etag')).toBeNull()
})

test('a file that is gone is a 404 that no cache keeps, not the SPA @hosting-8', async () => {
  const [script] = /assets\/[^"]+\.js/.exec(await (await fetch(url)).text())!
  const cacheControl = async (path: string) => {
    const { status, headers } = await fetch(`${url}/${path}`)
    return [status, headers.get('cache-control')]
  }
  expect(await cacheControl(script)).toEqual([200, 'public, max-age=31536000, immutable'])
  for (const path of ['assets/base-0000000.js', 'assets/index-0000000.css', 'assets/a/b.js'])
    expect(await cacheControl(path), path).toEqual([404, 'no-store'])
})
