/** The production shape of the SPA: Pages serves the files, its Function hands the Worker's paths on. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BursarClient } from '../../local/client.ts'
import { freePort } from '../../local/stack/ports.ts'
import { startWrangler, type WorkerProcess } from '../../local/stack/workerProcess.ts'
import { root } from '../../local/tools/runTool.ts'
import { createFundedWallet, createPayout, createTestStack, signIn, type TestStack } from '../support/testStack.ts'

let stack: TestStack
let pages: WorkerProcess
let bursar: BursarClient
let payout: Awaited<ReturnType<typeof createPayout>>

beforeAll(async () => {
  stack = await createTestStack()
  const token = await signIn(stack.bursar)
  const wallet = await createFundedWallet(stack.bursar, token)
  payout = await createPayout(stack.bursar, token, wallet.id)
  // One process per state: Pages goes on where the Worker alone stopped.
  await stack.stopWorker()
  pages = await startPages(stack)
})
afterAll(async () => {
  await pages?.stop()
  await stack?.stop()
})

async function startPages({ stateDir, vars, secrets, rpc }: TestStack): Promise<WorkerProcess> {
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

test('a recipient opens the claim page and enters the code', async () => {
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

test('the scripts are those for production, although a test runner built them', async () => {
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
