/** The agent of docs/agents/ai-sdk.md, as shown there, with a model that follows a script. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { Bursar } from '#sdk'
import { clientPath, importClient } from '../support/clients.ts'
import { addressFor } from '../support/stackClient.ts'
import { createAgent, url } from './gateway.ts'

const agent = await createAgent()
const bursar = new Bursar({ url, apiKey: agent.apiKey })
const page = await readFile(join(import.meta.dirname, '../../docs/agents/ai-sdk.md'), 'utf8')
// Beside the installed packages, so that its imports resolve there.
const folder = await mkdtemp(clientPath('../.ai-sdk-'))
afterAll(() => rm(folder, { recursive: true }))
await writeFile(join(folder, 'agent.mjs'), /```js\n(.*?)```/s.exec(page)![1]!)
vi.stubEnv('BURSAR_URL', url)
vi.stubEnv('BURSAR_API_KEY', agent.apiKey)
const { payWith } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'agent.mjs')).href)
const { MockLanguageModelV4 } = await importClient('ai/dist/test/index.js')

type Call = { name: string; input: object }
type Seen = { name: string; body: Record<string, unknown>; isError: boolean }

/** A model that makes these calls, one after another, and then says "done". */
function scripted(calls: Call[]) {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 }
  const usage = { inputTokens: none, outputTokens: none }
  const steps = calls.map(({ name, input }, i) => ({
    content: [{ type: 'tool-call', toolCallId: `call-${i}`, toolName: name, input: JSON.stringify(input) }],
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  }))
  const end = {
    content: [{ type: 'text', text: 'done' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage,
    warnings: [],
  }
  return new MockLanguageModelV4({ doGenerate: [...steps, end] })
}

/** Runs the agent. Returns its text, what it saw of each call, and the tools that it was offered. */
async function run(calls: Call[]) {
  const model = scripted(calls)
  const { text, steps } = await payWith(model, 'Pay for the data set.')
  // biome-ignore lint/suspicious/noExplicitAny: an untyped package, see importClient
  const results = steps.flatMap((step: any) => step.toolResults) as any[]
  const seen: Seen[] = results.map(({ toolName, output }) => ({
    name: toolName,
    body: output.structuredContent,
    isError: output.isError ?? false,
  }))
  const offered = model.doGenerateCalls[0].tools.map(({ name }: { name: string }) => name) as string[]
  return { text, seen, offered }
}

const pay = (amount: string, idempotency_key: string): Call => ({
  name: 'pay_address',
  input: { address: addressFor('AI SDK'), amount, idempotency_key },
})

test('with the AI SDK, an agent finds the tools, pays, and is refused with the rule and what would pass @frameworks-1', async () => {
  const { text, seen, offered } = await run([
    { name: 'get_payment_context', input: {} },
    pay('1', 'data-1'),
    pay('500', 'data-2'),
  ])
  expect(text).toBe('done')
  expect(offered).toEqual(expect.arrayContaining(['get_payment_context', 'pay_address', 'request_budget']))
  const [context, paid, refused] = seen
  expect(context!.body).toMatchObject({ max_allowed_now: '20' })
  expect(paid).toMatchObject({ isError: false, body: { object: 'payment', amount: '1', replayed: false } })
  expect(refused).toMatchObject({
    isError: true,
    body: { code: 'budget_exceeded', rule: 'group.budget', max_allowed_now: '19' },
  })
})

test('an agent of the AI SDK that repeats a call after a lost reply pays once @frameworks-2', async () => {
  const { seen } = await run([pay('2', 'data-3'), pay('2', 'data-3')])
  expect(seen.map(({ body }) => [body.id, body.replayed])).toEqual([
    [seen[0]!.body.id, false],
    [seen[0]!.body.id, true],
  ])
  // The SDK shares its keys with MCP.
  const again = await bursar.pay({ to: addressFor('AI SDK'), amount: '2', idempotencyKey: 'data-3' })
  expect([again.id, again.replayed]).toEqual([seen[0]!.body.id, true])
})
