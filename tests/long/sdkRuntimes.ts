/**
 * `npm run test:long sdk-runtimes`: the packed SDK pays and buys on Node 20, 22 and 24 and in workerd, and its command line runs
 * on each Node. Test id: @sdk-38
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { build } from 'vite'
import { installPackage } from '../support/sdkPackage.ts'
import { startSeller } from '../support/seller.ts'
import { addressFor, createSender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' }

const stack = await createTestStack({ lean: true })
const { usdc } = stack.contracts[8453]
const payTo = addressFor('shop of the runtimes')
const seller = await startSeller({
  rpcUrl: stack.rpc[8453],
  usdc,
  payTo,
  prices: { '/data': 10_000, 'POST /data': 10_000 },
})
try {
  const { url } = stack
  const scopes = ['address_payments:write', 'x402_payments:write']
  const { agents } = await createSender(stack, { funds: '50', limit: 20, scopes, purchaseAllowance: 20 })
  const { apiKey } = agents[0]!
  const env = { BURSAR_URL: url, BURSAR_API_KEY: apiKey }
  const sdk = await installPackage()
  /** Statements that set `done` to what was paid and bought. */
  const payAndBuy = (options: string, to: string) => `const bursar = new Bursar(${options})
const payment = await bursar.pay({ to: '${to}', amount: '0.5', wait: 'sent' })
const bought = await bursar.fetch('${seller.url}/data', { method: 'POST', body: 'x' }, { maxAmount: '0.05' })
const done = [payment.status, bought.status, bought.payment.amount, await bought.text()].join()`
  const expected = 'CONFIRMED,200,0.01,paid /data: x'

  for (const [major, version] of Object.entries(versions)) {
    execFileSync('npm', ['i', '--no-save', '--no-audit', '--no-fund', `node@${version}`], { cwd: sdk.folder })
    const node = join(sdk.folder, 'node_modules/node/bin/node')
    const program = `import { Bursar } from '@bursar/sdk'\n${payAndBuy('', addressFor(major))}\nconsole.log(process.version, done)`
    writeFileSync(join(sdk.folder, 'pay.mjs'), program)
    const paid = await sdk.run(node, ['pay.mjs'], env)
    assert.equal(paid.stdout, `v${version} ${expected}\n`, paid.stderr)
    const budget = await sdk.run(node, ['node_modules/@bursar/sdk/dist/cli/main.js', 'budget'], env)
    assert.equal(JSON.parse(budget.stdout).budget.limit, '20', budget.stderr)
    console.log(`Node ${version}: pays, buys, and runs the command line`)
  }

  const entry = join(sdk.folder, 'worker.mjs')
  const options = JSON.stringify({ url, apiKey })
  writeFileSync(
    entry,
    `import { Bursar } from '@bursar/sdk'
export default {
  async fetch() {
    ${payAndBuy(options, addressFor('workerd'))}
    return new Response(done)
  },
}`,
  )
  const built = await build({
    logLevel: 'silent',
    configFile: false,
    root: sdk.folder,
    build: { write: false, lib: { entry, formats: ['es'] } },
  })
  const { output } = (built as { output: { code: string }[] }[])[0]!
  const worker = new Miniflare(
    convertV4MiniflareOptions({ modules: true, script: output[0]!.code, compatibilityDate: '2026-11-01' }),
  )
  try {
    const reply = await worker.dispatchFetch('http://localhost/')
    assert.equal(await reply.text(), expected)
    console.log('workerd: pays and buys')
  } finally {
    await worker.dispose()
  }
} finally {
  await seller.stop()
  await stack.stop()
}
