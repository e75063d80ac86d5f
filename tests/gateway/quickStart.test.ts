/** Runs the examples from the Agents page. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Bursar } from '#sdk'
import { quickStarts } from '#web/routes/dashboard/-agents/quickStart.ts'
import { clientPath, runClient } from '../support/clients.ts'
import { within } from '../support/patience.ts'
import { installPackage } from '../support/sdkPackage.ts'
import { addressFor } from '../support/stackClient.ts'
import { bursar, createAgent, stateDir, url } from './gateway.ts'

const agent = await createAgent()
const to = { type: 'address', address: addressFor('quick start') }
const examples: Record<string, string> = Object.fromEntries(
  quickStarts(url, agent.clientId, to).map(({ name, code }) => [name, code]),
)

const env = () => ({
  PATH: process.env.PATH ?? '',
  BURSAR_API_KEY: agent.apiKey,
  BURSAR_CLIENT_SECRET: agent.clientSecret,
})
const inspector = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'
/** Runs in the folder of the test tools, so that imports resolve there. */
const run = (program: string, args: string[]) =>
  promisify(execFile)(program, args, { env: env(), cwd: clientPath('..'), ...within(90_000) })
const runModule = (code: string) => run(process.execPath, ['--input-type=module-typescript', '-e', code])

async function newest() {
  for await (const payment of new Bursar({ url, apiKey: agent.apiKey }).payments.list({ pageSize: 1 })) return payment
  return undefined
}

test('curl examples: one call with the API key pays once, and the OAuth example returns the same payment @quick-start-1', async () => {
  expect(Object.keys(examples).slice(0, 2)).toEqual(['curl', 'curl (OAuth)'])
  expect(examples.curl!.match(/curl /g)).toHaveLength(1)
  const { stdout } = await run('bash', ['-c', examples.curl!])
  expect(stdout).toContain('"object":"payment"')
  const paid = await newest()
  expect(paid).toMatchObject({ amount: '1' })
  const asked = promisify(execFile)('bash', ['-c', examples.curl!], { env: { PATH: env().PATH }, ...within(90_000) })
  asked.child.stdin!.end(`${agent.apiKey}\n`)
  expect((await asked).stdout, 'asks for the key').toContain(paid!.id)
  expect((await run('bash', ['-c', examples.curl!])).stdout).toContain(paid!.id)
  const [askToken, payment] = examples['curl (OAuth)']!.split('\n\n')
  const { access_token } = JSON.parse((await run('bash', ['-c', askToken!])).stdout)
  expect((await run('bash', ['-c', `BURSAR_TOKEN=${access_token}\n${payment}`])).stdout).toContain(paid!.id)
  expect((await newest())!.id).toBe(paid!.id)
})

test('TypeScript example: makes a payment, and fails with the reason of a refusal @quick-start-2', async () => {
  const sdk = await installPackage()
  const runExample = async (code: string) => {
    await writeFile(join(sdk.folder, 'quickStart.ts'), code)
    return sdk.run(process.execPath, ['--no-warnings', 'quickStart.ts'], env())
  }
  const paid = await runExample(examples.TypeScript!)
  expect(paid.stdout, paid.stderr).toContain((await newest())!.id)
  const otherKey = examples.TypeScript!.replace('first-payment', 'another-payment')
  const refused = await runExample(otherKey.replace("'1.00'", "'1000'"))
  expect(refused.stderr).toMatch(/BursarRefusal: The group's budget has 19\.00 USDC left\./)
  expect(refused.stderr).toContain("rule: 'group.budget'")
})

test('command line example: returns the payment of the same key @quick-start-5', async () => {
  const sdk = await installPackage()
  const { stdout, stderr } = await sdk.run('bash', ['-c', examples['Command line']!], env())
  expect(JSON.parse(stdout), stderr).toMatchObject({ object: 'payment', amount: '1', replayed: true })
})

test('MCP example: a client with the configuration lists the tools @quick-start-3', async () => {
  const config = join(stateDir, 'mcp.json')
  await writeFile(config, examples.MCP!.replace(`\${BURSAR_API_KEY}`, agent.apiKey))
  const { stdout, stderr } = await runClient(inspector, [
    '--cli',
    '--config',
    config,
    '--server',
    'bursar',
    '--method',
    'tools/list',
  ])
  expect(stdout, stderr).toContain('pay_address')
})

test('the commands of the page on MCP list the tools and pay @quick-start-6', { tags: ['all'] }, async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/agents/mcp.md'), 'utf8')
  const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].map((match) =>
    match[1]!
      .replace(/npx @modelcontextprotocol\/inspector@\S+/, `"${process.execPath}" ${clientPath(inspector)}`)
      .replace('http://localhost:3001', url),
  )
  const [list, pay] = await Promise.all(commands.map((command) => run('bash', ['-c', command])))
  expect(list!.stdout).toContain('pay_address')
  expect(JSON.parse(pay!.stdout).structuredContent).toMatchObject({ object: 'payment', amount: '1.5' })
})

test('MCP example with OAuth: the client fetches its own token', { tags: ['all'] }, async () => {
  const { stdout } = await runModule(`${examples['MCP (OAuth)']!}\nawait client.close()`)
  expect(stdout).toContain("limit: '20'")
})

test('the walk-through shows the fields of the curl replies, including one that waits for approval @quick-start-4', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/walkthrough.md'), 'utf8')
  const shown = page.match(/^\{"id":"pay_.*$/gm)!.map((line) => JSON.parse(line))
  const { sender } = agent
  const body = { name: 'Group', scopes: ['address_payments:write'], approveAbove: '5' }
  await bursar.api(`/policy-groups/${sender.groupId}`, { token: await sender.token(), method: 'PUT', body })
  const paid = await run('bash', ['-c', examples.curl!])
  const waiting = await run('bash', [
    '-c',
    examples.curl!.replace('"1.00"', '"12"').replace('first-payment', 'second-payment'),
  ])
  const replies = [paid, waiting].map(({ stdout }) => JSON.parse(stdout))
  expect(replies.map(({ status }) => status)).toEqual([expect.any(String), 'PENDING_APPROVAL'])
  const fields = (value: object): string[] =>
    Object.entries(value).flatMap(([name, inner]) => [
      name,
      ...(inner && typeof inner === 'object' ? fields(inner) : []),
    ])
  expect(replies.map(fields)).toEqual(shown.map(fields))
})
