/**
 * `npm run test:long frameworks`: the agents of openai-agents.md, langchain.md and cloudflare-agents.md in docs/agents/, as shown there,
 * with models that follow a script: they find the tools, pay, are refused with the rule, repeat a call, wait for the owner, buy from an
 * x402 seller, and prepare a payout run that a person decides about. The AI SDK is in tests/gateway/aiSdk.test.ts. Test id: @frameworks-3
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { ApprovalList } from '#schemas/approval.ts'
import type { Run } from '#schemas/runs.ts'
import { Bursar } from '#sdk'
import { serveLocally } from '../../local/standIns/server.ts'
import { root, runTool } from '../../local/tools/runTool.ts'
import { type Seller, startSeller } from '../support/seller.ts'
import { addressFor, createSender, pause, type Sender } from '../support/stackClient.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'
import { startReceiver } from '../support/webhookServer.ts'

const folder = join(root, 'tests/frameworks')

type Call = { name: string; args: Record<string, unknown> }
/** What the model does next, if this is what it has read so far. Null if it is done. */
type Script = (read: string) => Promise<Call | null>
/** What a framework shows its model: the names of the tools, and the result of each call as text. */
type Seen = { tools: string[]; results: string[] }
// biome-ignore lint/suspicious/noExplicitAny: untyped packages, installed by this run
type Untyped = any
/** `folder` contains agent.mjs, the code of the page. */
type Framework = { page: string; run: (folder: string, script: Script) => Promise<Seen> }

const agentIn = async (own: string) => (await import(pathToFileURL(join(own, 'agent.mjs')).href)) as Untyped
const load = (path: string): Promise<Untyped> => import(pathToFileURL(join(folder, 'node_modules', path)).href)

const openAi: Framework = {
  page: 'openai-agents',
  async run(own, script) {
    const { payWith } = await agentIn(own)
    const { setTracingDisabled, Usage } = await load('@openai/agents/dist/index.mjs')
    setTracingDisabled(true)
    let calls = 0
    const seen: Seen = { tools: [], results: [] }
    const model = {
      async getResponse(request: Untyped) {
        seen.tools = request.tools.map(({ name }: Untyped) => name)
        seen.results = request.input
          .filter?.(({ type }: Untyped) => type === 'function_call_result')
          .map(({ output }: Untyped) => JSON.stringify(output))
        const call = await script(JSON.stringify(request.input))
        const callId = `call-${calls++}`
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
  async run(own, script) {
    const { payWith } = await agentIn(own)
    const [{ BaseChatModel }, { AIMessage }] = await Promise.all([
      load('@langchain/core/dist/language_models/chat_models.js'),
      load('@langchain/core/dist/messages/index.js'),
    ])
    let tools: string[] = []
    let calls = 0
    class Scripted extends BaseChatModel {
      _llmType() {
        return 'script'
      }
      bindTools(bound: Untyped[]) {
        tools = bound.map(({ name }) => name)
        return this
      }
      async _generate(messages: Untyped[]) {
        const call = await script(JSON.stringify(messages.map(({ content }) => content)))
        const tool_calls = call ? [{ ...call, id: `call-${calls++}`, type: 'tool_call' }] : []
        const text = call ? '' : 'done'
        return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] }
      }
    }
    const { messages } = await payWith(new (Scripted as Untyped)({}), 'Pay for the data set.')
    assert.equal(messages.at(-1).content, 'done')
    const results = messages
      .filter((message: Untyped) => message.getType() === 'tool')
      .map(({ content }: Untyped) => JSON.stringify(content))
    return { tools, results }
  },
}

/**
 * Runs in workerd. The model asks the script over HTTP, and calls the tool whose name ends with the wanted one, because Agents add a
 * prefix.
 */
const buyer = `import { getAgentByName } from 'agents'
import { Buyer as Shown } from './agent.mjs'

export class Buyer extends Shown {
  async follow(script) {
    const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 }
    const usage = { inputTokens: none, outputTokens: none }
    let tools = []
    let calls = 0
    const model = {
      specificationVersion: 'v4', provider: 'script', modelId: 'script', supportedUrls: {},
      async doGenerate(options) {
        tools = options.tools.map(({ name }) => name)
        const reply = await fetch(script, { method: 'POST', body: JSON.stringify(options.prompt) })
        const call = await reply.json()
        if (!call) return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] }
        const toolName = tools.find((name) => name.endsWith(call.name))
        const content = [{ type: 'tool-call', toolCallId: 'call-' + calls++, toolName, input: JSON.stringify(call.args) }]
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
    return Response.json(await agent.follow(await request.text()))
  },
}
`

const cloudflare: Framework = {
  page: 'cloudflare-agents',
  async run(own, script) {
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
    const asked = await serveLocally(0, async (request) => Response.json(await script(await request.text())))
    try {
      const reply = await worker.dispatchFetch('http://localhost/', { method: 'POST', body: asked.url })
      const { text, tools, results } = JSON.parse(await reply.text()) as Seen & { text: string }
      assert.equal(text, 'done')
      return { tools: tools.map((name) => name.replace(/^tool_bursar_/, '')), results }
    } finally {
      await worker.dispose()
      await asked.stop()
    }
  },
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>
type Scene = { stack: TestStack; sender: Sender; seller: Seller; bursar: Bursar; receiver: Receiver }
/** The next call, or what to call once it is known what the model has read so far. */
type Step = Call | ((read: string) => Call | Promise<Call>)

const scriptOf = (steps: Step[]): Script => {
  const rest = [...steps]
  return async (read) => {
    const step = rest.shift()
    return typeof step === 'function' ? step(read) : (step ?? null)
  }
}

const idsIn = (text: string) => text.match(/pay_[0-9a-z]{20,}/g) ?? []
/** Looks at the payment that was mentioned last. */
const look = (read: string): Call => ({ name: 'get_payment', args: { payment_id: idsIn(read).at(-1) } })

async function follow({ page, run }: Framework, scene: Scene): Promise<void> {
  const shown = /```js\n(.*?)```/s.exec(readFileSync(join(root, `docs/agents/${page}.md`), 'utf8'))![1]!
  const own = mkdtempSync(join(folder, '.run-')) // beside the packages, so that imports resolve
  try {
    writeFileSync(join(own, 'agent.mjs'), shown)
    await payAndWait(page, (steps) => run(own, scriptOf(steps)), scene)
    await buy(page, (steps) => run(own, scriptOf(steps)), scene)
    await prepareRun(page, (steps) => run(own, scriptOf(steps)), scene)
  } finally {
    rmSync(own, { recursive: true })
  }
}

async function payAndWait(page: string, run: (steps: Step[]) => Promise<Seen>, { stack, sender, bursar }: Scene) {
  const address = addressFor(page)
  const pay = (amount: string, key: string): Call => ({
    name: 'pay_address',
    args: { address, amount, idempotency_key: `${page}-${key}` },
  })
  const approve = async (read: string) => {
    const token = await sender.token()
    const { approvals } = await stack.bursar.api<ApprovalList>('/approvals?status=pending', { token })
    const [{ id, hash }] = approvals as [ApprovalList['approvals'][number]]
    await stack.bursar.api(`/approvals/${id}/approve`, { token, body: { hash } })
    return look(read)
  }
  const payments = [pay('1', 'paid'), pay('1', 'paid'), pay('500', 'refused'), pay('6', 'asked')]
  const { tools, results } = await run([...payments, look, approve, pay('6', 'asked')])
  assert(tools.includes('pay_address') && tools.includes('get_payment_context'), tools.join())
  assert.equal(results.length, 7)
  const [paid, again, refused, asked, waiting, granted, repeated] = results.map((text) => text.replaceAll('\\', ''))
  const idOf = (text?: string) => idsIn(text ?? '')[0]
  assert.equal(idOf(paid), idOf(again), `a repeated call returns its payment: ${again}`)
  assert.match(refused!, /group\.budget/)
  for (const text of [asked, waiting]) assert.match(text!, /"status":"PENDING_APPROVAL"/)
  assert.match(granted!, /"status":"APPROVED"/)
  assert.doesNotMatch(granted!, /PENDING_APPROVAL/)
  assert.equal(idOf(repeated), idOf(asked), `a repeated call returns the approved payment: ${repeated}`)
  const found = []
  for await (const payment of bursar.payments.list()) if (payment.to.address === address) found.push(payment)
  const accepted = found.filter(({ status }) => status !== 'POLICY_REJECTED')
  assert.deepEqual(
    accepted.map(({ amount }) => amount),
    ['6', '1'],
    'paid once, and once after the approval',
  )
  await bursar.payments.wait(idOf(asked)!)
  console.log(`${page}: tools found, paid once, refused with the rule, waited for the owner`)
}

/** The agent's tool for HTTP is left to it: here, the script requests the resource and hands over the payment. */
async function buy(page: string, run: (steps: Step[]) => Promise<Seen>, { seller, bursar }: Scene) {
  const resource = `${seller.url}/data`
  // LangChain's adapter offers the object only, of all the forms that the tool takes.
  const payment_required = JSON.parse(atob((await fetch(resource)).headers.get('payment-required')!))
  const terms = { resource, payment_required, max_amount: '0.05', idempotency_key: `${page}-bought` }
  const call = { name: 'pay_x402', args: terms }
  const { tools, results } = await run([call, call])
  assert(tools.includes('pay_x402'), tools.join())
  const [header, again] = results.map((text) => /header\W+([A-Za-z0-9+/]{200,}=*)/.exec(text)?.[1])
  assert(header, results[0])
  assert.equal(again, header, 'a repeated call returns the same payment')
  const served = await fetch(resource, { headers: { 'PAYMENT-SIGNATURE': header } })
  assert.deepEqual([served.status, await served.text()], [200, 'paid /data'])
  const id = idsIn(results[0]!)[0]!
  await bursar.purchases.receipt(id, { paymentResponse: served.headers.get('payment-response'), served: true })
  assert.equal((await bursar.payments.wait(id)).status, 'CONFIRMED')
  console.log(`${page}: bought from an x402 seller once`)
}

/** Forty payments of which three are wrong: the model mends them by the verdicts that it reads. It has no tool that starts the run. */
async function prepareRun(page: string, run: (steps: Step[]) => Promise<Seen>, { stack, sender, receiver }: Scene) {
  const rows = Array.from({ length: 40 }, (_, i) => ({ to: addressFor(`${page} ${i}`), amount: '0.1' }))
  const faulty = rows.map((row, i) => ([3, 17, 30].includes(i) ? { ...row, amount: '0,1' } : row))
  const prepare = (input: object, key: string): Call => ({
    name: 'prepare_payout_run',
    args: { title: `Salaries by ${page}`, idempotency_key: `${page}-${key}`, ...input },
  })
  const idIn = (text: string) => /run_[0-9a-z]{20,}/.exec(text)![0]
  const mend = (read: string): Call => {
    const wrong = read.replaceAll('\\', '').matchAll(/"row":(\d+),[^{}]*"level":"error"/g)
    const mended = [...faulty]
    for (const row of new Set([...wrong].map(([, n]) => Number(n) - 1))) mended[row] = rows[row]!
    return prepare({ rows: mended, replaces: idIn(read) }, 'mended')
  }
  const { tools, results } = await run([prepare({ rows: faulty }, 'faulty'), mend])
  assert.deepEqual(tools.filter((name) => /run/.test(name)).sort(), ['get_payout_run', 'prepare_payout_run'])
  const [before, after] = results.map((text) => text.replaceAll('\\', '')) as [string, string]
  assert.match(before, /"left_out":3,"payments":37,/)
  assert.match(after, /"status":"DRAFT".*"left_out":0,"payments":40,/)
  const id = idIn(after)

  const token = await sender.token()
  const { hash } = await stack.bursar.api<Run>(`/runs/${id}/submit`, { token, body: {} })
  await stack.bursar.api(`/runs/${id}/approve`, { token, body: { hash } })
  const isHeard = () => receiver.received.some(({ type, body }) => type === 'run.finished' && body.includes(id))
  for (const deadline = Date.now() + 120_000; !isHeard(); await pause(200))
    assert(Date.now() < deadline, 'no webhook says that the run has finished')
  const { results: looked } = await run([{ name: 'get_payout_run', args: { run_id: id } }])
  assert.match(looked[0]!.replaceAll('\\', ''), /"status":"DONE".*"paid":40,/)
  console.log(`${page}: prepared a run, mended three rows, and a person decided`)
}

execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
const stack = await createTestStack({ lean: true })
try {
  const scopes = ['address_payments:write', 'x402_payments:write', 'payout_runs:prepare']
  const sender = await createSender(stack, { funds: '100', limit: 50, scopes, purchaseAllowance: 20 })
  const { apiKey } = sender.agents[0]!
  const body = { name: 'Group', scopes, approveAbove: '5' }
  await stack.bursar.api(`/policy-groups/${sender.groupId}`, { token: await sender.token(), method: 'PUT', body })
  process.env.BURSAR_URL = stack.url
  process.env.BURSAR_API_KEY = apiKey
  const bursar = new Bursar({ url: stack.url, apiKey })
  const [rpcUrl, { usdc }] = [stack.rpc[8453], stack.contracts[8453]]
  const seller = await startSeller({ rpcUrl, usdc, payTo: addressFor('x402 shop'), prices: { '/data': 50_000 } })
  const receiver = await startReceiver()
  const hook = { url: receiver.url, events: ['run.finished'], password: sender.password }
  await stack.bursar.api('/webhooks', { token: await sender.token(), body: hook })
  try {
    for (const framework of [openAi, langChain, cloudflare])
      await follow(framework, { stack, sender, seller, bursar, receiver })
  } finally {
    await seller.stop()
    await receiver.stop()
  }
} finally {
  await stack.stop()
}
