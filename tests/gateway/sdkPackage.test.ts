/** The SDK as its users get it: packed, installed in an empty folder, compiled and run against the local stack. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { installPackage } from '../support/sdkPackage.ts'
import { addressFor } from '../support/stackClient.ts'
import { createAgent, url } from './gateway.ts'

const root = join(import.meta.dirname, '../..')
const firstExample = /```ts\n(import \{ Bursar,.*?)```/s
const exampleIn = async (path: string) => firstExample.exec(await readFile(join(root, path), 'utf8'))![1]!
const [installed, agent, shown] = await Promise.all([installPackage(), createAgent(), exampleIn('sdk/README.md')])

const recipient = addressFor('the package')
const env = { BURSAR_API_KEY: agent.apiKey, BURSAR_URL: url }
/** The first example, paying our recipient. */
const example = shown.replace(/0x\w{40}/, recipient)

test('the package has only its code, its types, a README and a license @sdk-27', () => {
  expect(installed.files.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ])
  expect(installed.files.filter((path) => !/\.(js|d\.ts)$/.test(path)).length).toBe(3)
})

test('ten lines pay once, and print why a payment is refused @sdk-28', async () => {
  expect(await exampleIn('README.md')).toBe(shown)
  await writeFile(join(installed.folder, 'pay.mjs'), example)
  const paid = await installed.run(process.execPath, ['pay.mjs'], env)
  expect(paid, paid.stderr).toMatchObject({ code: 0 })
  expect(paid.stdout).toMatch(/^pay_\w+ CONFIRMED 0x[0-9a-f]{64}\n$/)
  const tooMuch = example.replace("'1.50'", "'1000'")
  await writeFile(join(installed.folder, 'refused.mjs'), tooMuch)
  const refused = await installed.run(process.execPath, ['refused.mjs'], env)
  expect(refused.stdout).toMatch(
    /^The group's budget has 18\.50 USDC left\. .+ group\.budget 18\.5 Send less, or ask the owner to change every/,
  )
})

test('the scheme for clients of x402 needs none of their packages at run time @x402-176', async () => {
  const code = "const { bursarScheme } = await import('@bursar/sdk/x402'); console.log(typeof bursarScheme)"
  expect(await installed.run(process.execPath, ['--input-type=module', '-e', code])).toMatchObject({
    stdout: 'function\n',
    stderr: '',
  })
})

test('its types compile under strict and exactOptionalPropertyTypes, and refuse a number @sdk-29', async () => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: [],
    skipLibCheck: false,
  }
  await writeFile(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const numbers = `${example}\n// @ts-expect-error\nawait bursar.pay({ to: '${recipient}', amount: 1.5 })\n`
  await writeFile(join(installed.folder, 'pay.ts'), numbers)
  const { code, stdout } = await installed.run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    '.',
  ])
  expect(code, stdout).toBe(0)
})

test('it has at most 12 kB with all it needs, and is imported in less than 50 ms @sdk-30', async () => {
  const built = await build({
    logLevel: 'silent',
    configFile: false,
    root: installed.folder,
    build: {
      write: false,
      lib: { entry: join(installed.folder, 'node_modules/@bursar/sdk/dist/index.js'), formats: ['es'] },
    },
  })
  const { output } = (built as { output: { code: string }[] }[])[0]!
  expect(output).toHaveLength(1)
  expect(gzipSync(output[0]!.code).length).toBeLessThan(12_000)
  // Of the thread's CPU: what else the machine does at the time does not count.
  const used = 'process.threadCpuUsage()'
  const code = `const at = ${used}; await import('@bursar/sdk'); const { user, system } = ${used}; console.log((user + system - at.user - at.system) / 1_000)`
  const times = []
  for (let i = 0; i < 3; i++)
    times.push(Number((await installed.run(process.execPath, ['--input-type=module', '-e', code])).stdout))
  expect(Math.min(...times)).toBeLessThan(50)
})
