/** The programs of docs/agents/x402.md, as shown there but with a seller and a wallet on the local chain. */
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { installPackage } from '../support/sdkPackage.ts'
import { startSeller } from '../support/seller.ts'
import { addressFor, chainReader } from '../support/stackClient.ts'
import { createAgent, rpcUrl, url, usdc } from './gateway.ts'

const root = join(import.meta.dirname, '../..')
const payTo = addressFor('shop of the page')
const [installed, agent, page] = await Promise.all([
  installPackage(),
  createAgent({ scopes: ['x402_payments:write'], purchaseAllowance: 20 }),
  readFile(join(root, 'docs/agents/x402.md'), 'utf8'),
])
const seller = await startSeller({ rpcUrl, usdc, payTo, prices: { '/weather': 10_000 } })
afterAll(() => seller.stop())
await symlink(join(root, 'node_modules/@x402'), join(installed.folder, 'node_modules/@x402'))

const programs = [...page.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1]!)
const earned = () => chainReader(rpcUrl, usdc).balanceOf(payTo)

async function run(program: string) {
  const shown = program.replace('https://api.example.com', seller.url)
  await writeFile(join(installed.folder, 'buy.mjs'), shown)
  return installed.run(process.execPath, ['buy.mjs'], { BURSAR_API_KEY: agent.apiKey, BURSAR_URL: url })
}

test('bursar.fetch buys, and prints why a purchase is refused @x402-174', async () => {
  const [fetching] = programs as [string, string]
  const { stdout, stderr } = await run(fetching)
  expect(stdout, stderr).toBe('200 paid /weather 0.01\n')
  expect(await earned()).toBe(10_000n)
  const refused = await run(fetching.replace("'0.05'", "'0.001'"))
  expect(refused.stdout, refused.stderr).toMatch(/^The seller asks for 0\.01 USDC, more than max_amount/)
  expect(await earned()).toBe(10_000n)
})

test('both programs compile under strict and exactOptionalPropertyTypes @x402-178', { tags: ['all'] }, async () => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    // The types of x402's own packages need those of Node.
    skipLibCheck: true,
  }
  await writeFile(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['page*.ts'] }))
  await Promise.all(programs.map((program, i) => writeFile(join(installed.folder, `page${i}.ts`), program)))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { code, stdout } = await installed.run(process.execPath, [compiler, '-p', '.'])
  expect(code, stdout).toBe(0)
})

test('an unmodified client buys with the scheme @x402-175', async () => {
  const [, withClient] = programs as [string, string]
  const before = await earned()
  // The client knows USDC on Base; that of the local chain has another address.
  const onThisChain = withClient.replace('new x402Client()', 'new x402Client().setSpendControls(false)')
  const { stdout, stderr } = await run(onThisChain)
  expect(stdout, stderr).toBe('200 paid /weather\n')
  expect((await earned()) - before).toBe(10_000n)
})
