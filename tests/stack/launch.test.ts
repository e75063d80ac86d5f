/** A launch to local-production as a newcomer does it, and the demo against it. LAUNCH_LONG=1 also restarts it. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { twilioAccount } from '../../launch/local/localProduction.ts'
import { freePort } from '../../local/stack/ports.ts'
import { readSecrets } from '../../local/stack/secrets.ts'
import type { ReceivedMessage } from '../../local/standIns/inbox.ts'
import { twilio } from '../../worker/notifications/providers/twilio.ts'
import { run, type Started, start } from '../support/launchProcess.ts'

let folder: string
let ports: Record<'pages' | 'worker' | 'chain' | 'inbox' | 'access', number>
let launched: Started
const launch = () =>
  start('launch/main.ts', [
    '--target',
    'local-production',
    '--config',
    join(folder, 'config.jsonc'),
    '--state',
    join(folder, 'state'),
  ])
const at = (name: keyof typeof ports, path = '') => `http://localhost:${ports[name]}${path}`
const loopback = (name: keyof typeof ports, path = '') => `http://127.0.0.1:${ports[name]}${path}`
const savedValues = async () => JSON.parse(await readFile(join(folder, 'state/state.json'), 'utf8')).values

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bursar-launch-'))
  ports = {
    pages: await freePort(),
    worker: await freePort(),
    chain: await freePort(),
    inbox: await freePort(),
    access: await freePort(),
  }
  const config = `{ // free ports\n  "local-production": { "ports": ${JSON.stringify(ports)}, "blockSeconds": 1 },\n}`
  await writeFile(join(folder, 'config.jsonc'), config)
  await writeFile(join(folder, 'package.json'), '{}') // as in a home folder: wrangler must not build there
  launched = launch()
  await launched.printed('Ctrl-C stops it')
})
afterAll(async () => {
  launched?.process.kill('SIGTERM')
  await launched?.ended
  await rm(folder, { recursive: true, force: true })
})

test('local-production is ready, has no /dev routes, and admits operators only through Access @launch-1', async () => {
  expect((await fetch(at('pages', '/api/ready'))).status).toBe(200)
  for (const path of ['/dev/inbox', '/dev/faucet', '/dev/rpc/8453'])
    expect((await fetch(at('pages', path))).status, path).toBe(404)

  const { accessClientId: id, accessClientSecret: secret } = await savedValues()
  const service = (given: string) => ({ 'cf-access-client-id': id, 'cf-access-client-secret': given })
  const ready = (url: string, headers: Record<string, string> = {}) => fetch(`${url}/ops/api/ready`, { headers })
  expect((await ready(at('pages'), service(secret))).status).toBe(401)
  expect((await ready(loopback('access'), service('wrong'))).status).toBe(403)
  expect((await ready(loopback('access'), { origin: 'https://elsewhere.example' })).status).toBe(403)
  expect(await (await ready(loopback('access'), service(secret))).json()).toMatchObject({ data: { ready: true } })
  expect((await ready(loopback('access'))).status).toBe(200)
})

test('Worker and pages answer at one address, and the Worker at no other @launch-28', async () => {
  expect(await (await fetch(at('pages', '/.well-known/jwks.json'))).json()).toHaveProperty('keys')
  for (const path of ['/v1/context', '/ops', '/ops/api/ready'])
    expect((await fetch(at('pages', path))).status, path).toBe(401)
  const old = { host: 'f00dbabe.bursar-web.pages.dev' }
  const refused = await request(at('pages', '/api/health'), { headers: old })
  expect([refused.statusCode, await refused.body.json()]).toEqual([
    421,
    {
      success: false,
      error: `Bursar is not at this address. It is at ${at('pages')}.`,
      code: 'misdirected_request',
    },
  ])
  const moved = await request(at('pages', '/docs?a=1'), { headers: old })
  await moved.body.dump()
  expect([moved.statusCode, moved.headers.location]).toEqual([308, at('pages', '/docs?a=1')])
  expect((await fetch(at('worker', '/api/health'))).status).toBe(421)
  expect((await fetch(loopback('pages', '/api/health'))).status).toBe(421)
  expect(await (await fetch(at('worker', '/cdn-cgi/local/scheduled'))).text()).toBe('ok') // as the cron calls it
})

test('recipients may keep payouts with a passkey of the domain, also on the recovery page @launch-32', async () => {
  const { data } = (await (await fetch(at('pages', '/api/config'))).json()) as { data: { passkeyDomain: string } }
  expect(data.passkeyDomain).toBe('localhost')
  expect(await (await fetch(at('pages', '/.well-known/passkey-endpoints'))).json()).toEqual({
    prfUsageDetails: at('pages', '/claim'),
  })
  const recovery = await (await fetch(at('pages', '/recovery'))).text()
  expect(recovery).toContain('<meta name="passkey-domain" content="localhost">')
})

test('the pages have scripts built for production, although a test runner built them @launch-29', async () => {
  const page = await (await fetch(at('pages', '/login'))).text()
  const scripts = [...page.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path)
  expect(scripts.length).toBeGreaterThan(1)
  for (const path of scripts) {
    const script = await (await fetch(at('pages', path))).text()
    expect(script, path).not.toContain('react_stack_bottom_frame') // of React's development build
  }
})

test('the Twilio stand-in accepts an SMS with the right credentials and refuses others @launch-2', async () => {
  const { TWILIO_AUTH_TOKEN: authToken = '' } = readSecrets(join(folder, 'state/secrets.env'))
  const sender = (token: string) =>
    twilio({
      accountSid: twilioAccount,
      authToken: token,
      from: '+15005550006',
      apiOrigin: at('pages'),
      endpoint: loopback('inbox'),
    })
  const message = { id: 'code:1', to: '+4915112345678', channel: 'sms', subject: '', text: 'Code 012345' } as const
  await expect(sender('wrong').send(message)).rejects.toThrow()
  await sender(authToken).send(message)
  const received = await fetch(loopback('inbox', `/messages?to=${encodeURIComponent(message.to)}`))
  expect(await received.json()).toMatchObject([
    { to: message.to, text: message.text },
  ] satisfies Partial<ReceivedMessage>[])
})

test('the demo signs up with a passcode, reads its email and pays @launch-3', async () => {
  const { passcode } = await savedValues()
  const args = ['--url', at('pages'), '--inbox', loopback('inbox'), '--rpc', loopback('chain'), '--passcode', passcode]
  const { code, output } = await run('scripts/demo.ts', args)
  expect(code, output).toBe(0)
  expect(output).toContain('14 of 14 checks agree')
})

test('a second launch changes nothing @launch-4', async () => {
  const before = await contents()
  const second = launch()
  expect(await second.ended).toMatchObject({ code: 0, output: expect.stringContaining('nothing was changed') })
  if (process.env.LAUNCH_LONG) {
    launched.process.kill('SIGTERM')
    expect((await launched.ended).code).toBe(0)
    launched = launch()
    await launched.printed('Ctrl-C stops it')
    expect(launched.output()).not.toContain(': done,')
  }
  expect(await contents()).toEqual(before)
  expect((await stat(join(folder, 'state/secrets.env'))).mode & 0o777).toBe(0o600)
})

/** Contents of the files that launch steps write. The chain and the database keep changing on their own. */
async function contents(): Promise<Record<string, string>> {
  const state = join(folder, 'state')
  const names = (await readdir(state)).filter((name) => /^(state|wrangler|contracts)\.json$|\.env$/.test(name))
  expect(names.length).toBeGreaterThan(2)
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(state, name), 'utf8')])),
  )
}

test('an unknown target or half is refused, and a dry run changes nothing @launch-15', async () => {
  const state = join(folder, 'untouched')
  const [unknown, half, dry] = await Promise.all([
    run('launch/main.ts', ['--target', 'sandbox', '--state', state]),
    run('launch/main.ts', ['--target', 'production', '--roll-back', 'database', '--state', state]),
    run('launch/main.ts', [
      '--target',
      'production',
      '--config',
      'launch/config.example.jsonc',
      '--state',
      state,
      '--dry-run',
    ]),
  ])
  expect(unknown).toMatchObject({
    code: 1,
    output: expect.stringContaining('must be one of production, staging, local-production'),
  })
  expect(half).toMatchObject({ code: 1, output: expect.stringContaining('--roll-back must be pages or worker') })
  expect(dry.code).toBe(0)
  expect(dry.output.match(/does: {2}\S/g)).toHaveLength(15)
  expect(dry.output.match(/costs: \S/g)).toHaveLength(15)
  await expect(stat(state)).rejects.toThrow('ENOENT')
})
