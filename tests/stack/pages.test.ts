/** The SPA as in production: Pages serves the files, and its Function forwards the Worker's paths. */
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { BursarClient } from '../../local/client.ts'
import { freePort } from '../../local/stack/ports.ts'
import { startWrangler } from '../../local/stack/workerProcess.ts'
import { root } from '../../local/tools/runTool.ts'
import { createFundedWallet, createPayout, createTestStack, signIn, type TestStack } from '../support/testStack.ts'

const stack = await createTestStack()
afterAll(() => stack.stop())
const owner = await signIn(stack.bursar)
const wallet = await createFundedWallet(stack.bursar, owner)
const payout = await createPayout(stack.bursar, owner, wallet.id)
// Only one process may use the state: Pages continues with that of the stopped Worker.
await stack.stopWorker()
const { bursar, stop } = await startPages(stack)
// Before the stack: the last hook runs first.
afterAll(stop)

async function startPages({ stateDir, vars, secrets, rpc }: TestStack) {
  const port = await freePort()
  const args = ['pages', 'dev', '-c', 'wrangler.toml', '-c', '../wrangler.toml']
  // `--env-file` and `--binding` reach the Pages part only; the Worker next to it reads the environment.
  const env = { CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true', ...vars, ...secrets }
  const server = await startWrangler({ args, cwd: join(root, 'web'), port, stateDir, show: false, env })
  return { bursar: new BursarClient(`http://localhost:${port}`, rpc[8453]), stop: () => server.stop() }
}

test('a user signs in through Pages', async () => {
  const token = await signIn(bursar)
  expect(await bursar.api<unknown[]>('/wallets', { token })).toHaveLength(1)
})

test('a recipient opens the claim page and enters the code through Pages', async () => {
  const { path, accessToken, passcode } = payout
  const page = await fetch(`${bursar.url}${path}`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<div id="root">')
  expect(await bursar.api(`/escrow/claim/${accessToken}`)).toMatchObject({ status: 'CREATED', amount: '5' })
  expect(await bursar.api('/escrow/verify-passcode', { body: { accessToken, passcode } })).toMatchObject({
    verified: true,
    balance: '5',
  })
})

test('Pages serves scripts built for production, although a test runner built them', async () => {
  const page = await (await fetch(`${bursar.url}/login`)).text()
  const scripts = [...page.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path)
  expect(scripts.length).toBeGreaterThan(1)
  for (const path of scripts) {
    const script = await (await fetch(`${bursar.url}${path}`)).text()
    expect(script, path).not.toContain('react_stack_bottom_frame') // of React's development build
  }
})

test('the paths for agents reach the Worker through Pages', async () => {
  expect((await bursar.call('/v1/context')).status).toBe(401)
  expect((await bursar.call('/oauth/token', { form: { grant_type: 'client_credentials' } })).status).toBe(401)
  expect(await bursar.plain('/.well-known/jwks.json')).toHaveProperty('keys')
})
