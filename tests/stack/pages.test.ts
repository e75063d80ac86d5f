/** The production shape of the SPA: Pages serves the files, its Function hands the Worker's paths on. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/build.ts'
import { BursarClient } from '../../scripts/demoClient.ts'
import { freePort } from '../../scripts/stack.ts'
import { startWrangler, type WranglerDev } from '../../scripts/wranglerDev.ts'
import { aFundedWallet, aPayout, aStack, signIn, type TestStack } from './aStack.ts'

let stack: TestStack
let pages: WranglerDev
let bursar: BursarClient
let payout: Awaited<ReturnType<typeof aPayout>>

beforeAll(async () => {
  stack = await aStack()
  const token = await signIn(stack.bursar)
  const wallet = await aFundedWallet(stack.bursar, token)
  payout = await aPayout(stack.bursar, token, wallet.id)
  // One process per state: Pages goes on where the Worker alone stopped.
  await stack.stopWorker()
  pages = await startPages(stack)
})
afterAll(async () => {
  await pages?.stop()
  await stack?.stop()
})

async function startPages({ stateDir, vars, secrets, rpc }: TestStack): Promise<WranglerDev> {
  const port = await freePort()
  const args = ['pages', 'dev', '-c', 'wrangler.toml', '-c', '../wrangler.toml']
  // `--env-file` and `--binding` reach the Pages part only; the Worker beside it reads the environment.
  const env = { CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true', ...vars, ...secrets }
  const server = await startWrangler({ args, cwd: join(root, 'web'), port, stateDir, show: false, env })
  bursar = new BursarClient(`http://localhost:${port}`, rpc[8453])
  return server
}

test('a person signs in', async () => {
  const token = await signIn(bursar)
  expect(await bursar.api<unknown[]>('/wallets', { token })).toHaveLength(1)
})

test('a recipient meets the claim page and its code', async () => {
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

test('the scripts are those for production, although a test runner asked for them', async () => {
  const page = await (await fetch(`${bursar.url}/login`)).text()
  const scripts = [...page.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path)
  expect(scripts.length).toBeGreaterThan(1)
  for (const path of scripts) {
    const script = await (await fetch(`${bursar.url}${path}`)).text()
    expect(script, path).not.toContain('react_stack_bottom_frame') // of React for development
  }
})

test('the paths of agents reach the Worker too', async () => {
  expect((await bursar.call('/v1/context')).status).toBe(401)
  expect((await bursar.call('/oauth/token', { form: { grant_type: 'client_credentials' } })).status).toBe(401)
  expect(await bursar.plain('/.well-known/jwks.json')).toHaveProperty('keys')
})
