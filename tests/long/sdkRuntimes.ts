/**
 * `npm run test:long sdk-runtimes`: the packed SDK pays on Node 20, 22 and 24 and in workerd, and its command line runs on each
 * Node. Test id: @sdk-38
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { build } from 'vite'
import { installPackage } from '../support/sdkPackage.ts'
import { addressFor, createSender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' }

const stack = await createTestStack({ lean: true })
try {
  const { url } = stack
  const { agents } = await createSender(stack, { funds: '50', limit: 20 })
  const { apiKey } = agents[0]!
  const env = { BURSAR_URL: url, BURSAR_API_KEY: apiKey }
  const sdk = await installPackage()
  const pay = (options: string, to: string) =>
    `await new Bursar(${options}).pay({ to: '${to}', amount: '0.5', wait: 'sent' })`

  for (const [major, version] of Object.entries(versions)) {
    execFileSync('npm', ['i', '--no-save', '--no-audit', '--no-fund', `node@${version}`], { cwd: sdk.folder })
    const node = join(sdk.folder, 'node_modules/node/bin/node')
    const program = `import { Bursar } from '@bursar/sdk'\nconsole.log(process.version, (${pay('', addressFor(major))}).status)`
    writeFileSync(join(sdk.folder, 'pay.mjs'), program)
    const paid = await sdk.run(node, ['pay.mjs'], env)
    assert.equal(paid.stdout, `v${version} CONFIRMED\n`, paid.stderr)
    const budget = await sdk.run(node, ['node_modules/@bursar/sdk/dist/cli/main.js', 'budget'], env)
    assert.equal(JSON.parse(budget.stdout).budget.limit, '20', budget.stderr)
    console.log(`Node ${version}: pays, and runs the command line`)
  }

  const entry = join(sdk.folder, 'worker.mjs')
  const options = JSON.stringify({ url, apiKey })
  writeFileSync(
    entry,
    `import { Bursar } from '@bursar/sdk'
export default { fetch: async () => Response.json(${pay(options, addressFor('workerd'))}) }`,
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
    assert.equal(((await reply.json()) as { status: string }).status, 'CONFIRMED')
    console.log('workerd: pays')
  } finally {
    await worker.dispose()
  }
} finally {
  await stack.stop()
}
