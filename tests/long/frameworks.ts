/**
 * `npm run test:long frameworks`: the agents of openai-agents.md, langchain.md and cloudflare-agents.md in docs/agents/, as shown there,
 * with models that follow a script: they find the tools, pay, are refused with the rule, repeat a call, and ask the owner. The AI SDK
 * is in tests/gateway/aiSdk.test.ts. Test id: @frameworks-3
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { Bursar } from '#sdk'
import { root, runTool } from '../../local/tools/runTool.ts'
import { addressFor, createSender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const folder = join(root, 'tests/frameworks')

type Call = { name: string; args: Record<string, unknown> }
/** What a framework shows its model: the names of the tools, and the result of each call as text. */
type Seen = { tools: string[]; results: string[] }
// biome-ignore lint/suspicious/noExplicitAny: untyped packages, installed by this run
type Untyped = any
/** `folder` contains agent.mjs, the code of the page. */
type Framework = { page: string; run: (folder: string, calls: Call[]) => Promise<Seen> }

const agentIn = async (own: string) => (await import(pathToFileURL(join(own, 'agent.mjs')).href)) as Untyped
const load = (path: string): Promise<Untyped> => import(pathToFileURL(join(folder, 'node_modules', path)).href)

const openAi: Framework = {
  page: 'openai-agents',
  async run(own, calls) {
    const { payWith } = await agentIn(own)
    const { setTracingDisabled, Usage } = await load('@openai/agents/dist/index.mjs')
    setTracingDisabled(true)
    const rest = [...calls]
    const seen: Seen = { tools: [], results: [] }
    const model = {
      async getResponse(request: Untyped) {
        seen.tools = request.tools.map(({ name }: Untyped) => name)
        seen.results = request.input
          .filter?.(({ type }: Untyped) => type === 'function_call_result')
          .map(({ output }: Untyped) => JSON.stringify(output))
        const call = rest.shift()
        const callId = `call-${rest.length}`
        const output = call
          ? {
              type: 'function_call',
              callId,
              name: call.name,
              arguments: JSON.stringify(call.args),
              status: 'completed',
            }
          : {
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: 'done' }],
            }
        return { usage: new Usage(), output: [output] }
      },
    }
    const { finalOutput } = await payWith(model, 'Pay for the data set.')
    assert.equal(finalOutput, 'done')
    return seen
  },
}

const langChain: Framework = {
  page: 'langchain',
  async run(own, calls) {
    const { payWith } = await agentIn(own)
    const [{ fakeModel }, { AIMessage }] = await Promise.all([
      load('@langchain/core/dist/testing/index.js'),
      load('@langchain/core/dist/messages/index.js'),
    ])
    const model = fakeModel()
    for (const [i, call] of calls.entries()) model.respondWithTools([{ ...call, id: `call-${i}` }])
    model.respond(new AIMessage('done'))
    let tools: string[] = []
    const bind = model.bindTools.bind(model)
    model.bindTools = (bound: Untyped[]) => {
      tools = bound.map(({ name }) => name)
      return bind(bound)
    }
    const { messages } = await payWith(model, 'Pay for the data set.')
    assert.equal(messages.at(-1).content, 'done')
    const results = messages
      .filter((message: Untyped) => message.getType() === 'tool')
      .map(({ content }: Untyped) => JSON.stringify(content))
    return { tools, results }
  },
}

/** Runs in workerd. The model calls the tool whose name ends with the wanted one, because Agents add a prefix. */
const buyer = `import { getAgentByName } from 'agents'
import { Buyer as Shown } from './agent.mjs'

export class Buyer extends Shown {
  async follow(calls) {
    const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 }
    const usage = { inputTokens: none, outputTokens: none }
    let tools = []
    const model = {
      specificationVersion: 'v4', provider: 'script', modelId: 'script', supportedUrls: {},
      async doGenerate(options) {
        tools = options.tools.map(({ name }) => name)
        const call = calls.shift()
        if (!call) return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] }
        const toolName = tools.find((name) => name.endsWith(call.name))
        const content = [{ type: 'tool-call', toolCallId: 'call-' + calls.length, toolName, input: JSON.stringify(call.args) }]
        return { content, finishReason: { unified: 'tool-calls' }, usage, warnings: [] }
      },
    }
    const { text, steps } = await this.payWith(model, 'Pay for the data set.')
    const contents = steps.flatMap((step) => step.content).filter(({ type }) => type.startsWith('tool-') && type !== 'tool-call')
    const results = contents.map(({ output, error }) => JSON.stringify(output ?? String(error)))
    return { text, tools, results }
  }
}

export default {
  async fetch(request, env) {
    const agent = await getAgentByName(env.BUYER, 'one')
    return Response.json(await agent.follow(await request.json()))
  },
}
`

const cloudflare: Framework = {
  page: 'cloudflare-agents',
  async run(own, calls) {
    writeFileSync(join(own, 'worker.mjs'), buyer)
    const compatibility = { compatibility_date: '2026-11-01', compatibility_flags: ['nodejs_compat'] }
    writeFileSync(join(own, 'wrangler.json'), JSON.stringify({ name: 'buyer', main: 'worker.mjs', ...compatibility }))
    await runTool([
      'wrangler',
      'deploy',
      '--dry-run',
      '--outdir',
      join(own, 'out'),
      '--config',
      join(own, 'wrangler.json'),
    ])
    const { BURSAR_URL, BURSAR_API_KEY } = process.env
    const worker = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: readFileSync(join(own, 'out/worker.js'), 'utf8'),
        compatibilityDate: compatibility.compatibility_date,
        compatibilityFlags: compatibility.compatibility_flags,
        durableObjects: { BUYER: { className: 'Buyer', useSQLite: true } },
        bindings: { BURSAR_URL: BURSAR_URL!, BURSAR_API_KEY: BURSAR_API_KEY! },
      }),
    )
    try {
      const reply = await worker.dispatchFetch('http://localhost/', { method: 'POST', body: JSON.stringify(calls) })
      const { text, tools, results } = JSON.parse(await reply.text()) as Seen & { text: string }
      assert.equal(text, 'done')
      return { tools: tools.map((name) => name.replace(/^tool_bursar_/, '')), results }
    } finally {
      await worker.dispose()
    }
  },
}

async function follow({ page, run }: Framework, bursar: Bursar): Promise<void> {
  const shown = /```js\n(.*?)```/s.exec(readFileSync(join(root, `docs/agents/${page}.md`), 'utf8'))![1]!
  const own = mkdtempSync(join(folder, '.run-')) // beside the packages, so that imports resolve
  try {
    writeFileSync(join(own, 'agent.mjs'), shown)
    const address = addressFor(page)
    const pay = (amount: string, key: string) => ({
      name: 'pay_address',
      args: { address, amount, idempotency_key: `${page}-${key}` },
    })
    const calls = [pay('1', 'paid'), pay('1', 'paid'), pay('500', 'refused'), pay('6', 'asked')]
    const { tools, results } = await run(own, calls)
    assert(tools.includes('pay_address') && tools.includes('get_payment_context'), tools.join())
    const [paid, again, refused, asked] = results as [string, string, string, string]
    const idOf = (text: string) => /pay_\w+/.exec(text)?.[0]
    assert.equal(idOf(paid), idOf(again), `a repeated call returns its payment: ${again}`)
    assert.match(refused, /group\.budget/)
    assert.match(asked, /PENDING_APPROVAL/)
    const found = []
    for await (const payment of bursar.payments.list()) if (payment.to.address === address) found.push(payment.status)
    assert.deepEqual(
      found.filter((status) => status !== 'POLICY_REJECTED').length,
      2,
      `paid once, asked once: ${found}`,
    )
    console.log(`${page}: tools found, paid once, refused with the rule, waits for the owner`)
  } finally {
    rmSync(own, { recursive: true })
  }
}

execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
const stack = await createTestStack({ lean: true })
try {
  const sender = await createSender(stack, { funds: '50', limit: 20 })
  const { apiKey } = sender.agents[0]!
  const body = { name: 'Group', scopes: ['address_payments:write'], approveAbove: '5' }
  await stack.bursar.api(`/policy-groups/${sender.groupId}`, { token: await sender.token(), method: 'PUT', body })
  process.env.BURSAR_URL = stack.url
  process.env.BURSAR_API_KEY = apiKey
  const bursar = new Bursar({ url: stack.url, apiKey })
  for (const framework of [openAi, langChain, cloudflare]) await follow(framework, bursar)
} finally {
  await stack.stop()
}
