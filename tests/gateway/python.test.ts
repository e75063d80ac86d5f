/** The Python SDK as its users get it: the wheel, built and installed without a network, with the real API. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { Bursar } from '#sdk'
import { serveLocally } from '../../local/standIns/server.ts'
import { within } from '../support/patience.ts'
import { installedPython } from '../support/python.ts'
import { startSeller } from '../support/seller.ts'
import { addressFor } from '../support/stackClient.ts'
import { createAgent, rpcUrl, url, usdc } from './gateway.ts'

const root = join(import.meta.dirname, '../..')
const python = installedPython()
const exec = promisify(execFile)
const exampleIn = (path: string) =>
  /```python\n(from bursar_sdk import Bursar, .*?)```/s.exec(readFileSync(join(root, path), 'utf8'))![1]!

/** An empty folder with the installed wheel. `--target`, because creating a virtual environment takes seconds. */
async function install() {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-python-'))
  const pip = (...args: string[]) =>
    exec(python!.path, ['-m', 'pip', '--disable-pip-version-check', ...args], { cwd: folder })
  await pip('wheel', '--no-index', '--no-deps', '--no-build-isolation', '-w', 'wheels', join(root, 'sdk/python'))
  const [wheel] = await readdir(join(folder, 'wheels'))
  await pip('install', '--no-index', '--no-deps', '--target', 'installed', join('wheels', wheel!))
  return { folder, wheel }
}

describe.skipIf(!python?.hasPip)('the Python SDK', { concurrent: false }, async () => {
  if (!python?.hasPip) return
  const prices = { '/data': 50_000 }
  const [{ folder, wheel }, agent, seller] = await Promise.all([
    install(),
    createAgent({
      scopes: ['address_payments:write', 'x402_payments:write'],
      imported: true,
      rules: { approveAbove: '5' },
    }),
    startSeller({ rpcUrl, usdc, payTo: addressFor('python shop'), prices }),
  ])
  afterAll(() => {
    rmSync(folder, { recursive: true })
    return seller.stop()
  })
  const recipient = addressFor('python')
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: folder, PYTHONPATH: join(folder, 'installed') },
    ...{ BURSAR_URL: url, BURSAR_API_KEY: agent.apiKey },
  }
  const example = exampleIn('sdk/python/README.md').replace(/0x\w{40}/, recipient)
  const run = (file: string, more = {}) =>
    exec(python.path, [file], { cwd: folder, env: { ...env, ...more }, ...within(60_000) })

  test('the examples of README and docs are those of the package @python-1', () => {
    const own = exampleIn('sdk/python/README.md')
    expect([exampleIn('README.md'), exampleIn('docs/agents/python.md')]).toEqual([own, own])
    expect(own.trim().split('\n')).toHaveLength(8)
    expect(wheel).toBe('bursar_sdk-0.1.0-py3-none-any.whl')
  })

  test('the examples of the page are Python @python-5', async () => {
    const page = readFileSync(join(root, 'docs/agents/python.md'), 'utf8')
    const examples = [...page.matchAll(/```python\n(.*?)```/gs)].map((match) => match[1]!)
    expect(examples).toHaveLength(7)
    const parse = 'import ast, json, sys; [ast.parse(each) for each in json.loads(sys.argv[1])]'
    await exec(python.path, ['-c', parse, JSON.stringify(examples)])
  })

  test('ten lines pay, say why they are refused, and pay once when they are killed and repeated @python-2', async () => {
    writeFileSync(join(folder, 'pay.py'), example)
    writeFileSync(
      join(folder, 'refused.py'),
      example.replace('"1.50"', '"1000"').replace('invoice-1144', 'invoice-1145'),
    )
    expect((await run('refused.py')).stdout).toMatch(
      /^Not paid: The group's budget has 20\.00 USDC left\. .+ Send less, or/,
    )
    // Bursar accepts the payment; the program is killed before the reply reaches it.
    const replies: number[] = []
    const proxy = await serveLocally(0, async (request) => {
      const { pathname } = new URL(request.url)
      const { method, headers } = request
      replies.push((await fetch(`${url}${pathname}`, { method, headers, body: await request.text() })).status)
      killed.kill('SIGKILL')
      return new Response()
    })
    const killed = spawn(python.path, ['pay.py'], { cwd: folder, env: { ...env, BURSAR_URL: proxy.url } })
    expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL'])
    await proxy.stop()
    expect(replies).toEqual([201])
    const [first, second] = [await run('pay.py'), await run('pay.py')]
    expect(first.stdout).toMatch(/^pay_\w+ CONFIRMED 0x[0-9a-f]{64}\n$/)
    expect(second.stdout).toBe(first.stdout)
    const payments = []
    for await (const payment of new Bursar({ url, apiKey: agent.apiKey }).payments.list()) payments.push(payment)
    expect(payments.filter(({ status }) => status === 'CONFIRMED')).toHaveLength(1)
  })

  test('fifty threads with one key pay once; refusals, lists, tokens, approvals and purchases with the real API @python-3', async () => {
    const more = { BURSAR_CLIENT_ID: agent.clientId, BURSAR_CLIENT_SECRET: agent.clientSecret, SELLER_URL: seller.url }
    const { stderr } = await run(join(root, 'sdk/python/tests/live.py'), more)
    expect(stderr).toMatch(/Ran 6 tests in .*\n\nOK\n$/)
  })
})
