/** The agent of docs/agents/ai-sdk.md, as shown there, with a model that follows a script. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import type { ApprovalList } from '#schemas/approval.ts'
import type { PayoutRun } from '#schemas/preparedRun.ts'
import type { Run } from '#schemas/runs.ts'
import { Bursar } from '#sdk'
import { clientPath, importClient } from '../support/clients.ts'
import { within } from '../support/patience.ts'
import { installPackage } from '../support/sdkPackage.ts'
import { startSeller } from '../support/seller.ts'
import { addressFor, chainReader } from '../support/stackClient.ts'
import { startReceiver } from '../support/webhookServer.ts'
import { createAgent, bursar as owner, rpcUrl, url, usdc } from './gateway.ts'

const scopes = ['address_payments:write', 'email_payments:write', 'x402_payments:write', 'payout_runs:prepare']
const agent = await createAgent({ scopes, purchaseAllowance: 20 })
const bursar = new Bursar({ url, apiKey: agent.apiKey })
const page = await readFile(join(import.meta.dirname, '../../docs/agents/ai-sdk.md'), 'utf8')
// Beside the installed packages, so that its imports resolve there.
const folder = await mkdtemp(clientPath('../.ai-sdk-'))
afterAll(() => rm(folder, { recursive: true }))
const [shownAgent, shownTool] = [...page.matchAll(/```js\n(.*?)```/gs)].map((match) => match[1]!) as [string, string]
await writeFile(join(folder, 'agent.mjs'), shownAgent)
vi.stubEnv('BURSAR_URL', url)
vi.stubEnv('BURSAR_API_KEY', agent.apiKey)
const { payWith } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'agent.mjs')).href)
const { MockLanguageModelV4 } = await importClient('ai/dist/test/index.js')

type Call = { name: string; input: object }
type Seen = { name: string; body: Record<string, unknown>; isError: boolean }

type Prompt = { role: string; content: unknown }[]
/** The next call, or what to call once it is known what the model has read so far. */
type Step = Call | ((read: string) => Call | Promise<Call>)

/** A model that makes these calls, one after another, and then says "done". */
function scripted(steps: Step[]) {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 }
  const more = { usage: { inputTokens: none, outputTokens: none }, warnings: [] }
  let taken = 0
  const doGenerate = async ({ prompt }: { prompt: Prompt }) => {
    const step = steps[taken++]
    if (!step)
      return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: undefined }, ...more }
    const { name, input } = typeof step === 'function' ? await step(JSON.stringify(prompt)) : step
    const call = { type: 'tool-call', toolCallId: `call-${taken}`, toolName: name, input: JSON.stringify(input) }
    return { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, ...more }
  }
  return new MockLanguageModelV4({ doGenerate })
}

/** Runs the agent. Returns its text, what it saw of each call, and the tools that it was offered. */
async function run(steps: Step[]) {
  const model = scripted(steps)
  const { text, steps: taken } = await payWith(model, 'Pay for the data set.')
  // biome-ignore lint/suspicious/noExplicitAny: an untyped package, see importClient
  const results = taken.flatMap((step: any) => step.toolResults) as any[]
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

test('an agent of the AI SDK prepares forty payments, mends three by their verdicts, and a person decides @frameworks-6', {
  tags: ['all'],
}, async () => {
  const { sender } = agent
  const token = await sender.token()
  const receiver = await startReceiver()
  const hook = { url: receiver.url, events: ['run.finished'], password: sender.password }
  await owner.api('/webhooks', { token, body: hook })
  const rows = Array.from({ length: 40 }, (_, i) => ({
    ...{ to: addressFor(`salary ${i}`), amount: '0.2', reference: `S-${i}` },
  }))
  const faulty = rows.map((row, i) => (i % 13 === 1 && i < 30 ? { ...row, amount: '0,2' } : row))
  const prepare = (input: object, key: string): Call => ({
    name: 'prepare_payout_run',
    input: { title: 'Salaries', idempotency_key: key, ...input },
  })
  let first: PayoutRun | undefined
  const { seen, offered } = await run([
    prepare({ rows: faulty }, 'salaries-1'),
    async (read) => {
      first = await bursar.runs.get(/run_[0-9a-z]{20,}/.exec(read)![0])
      const wrong = first.verdicts.filter(({ level }) => level === 'error').map(({ row }) => row)
      const mended = faulty.map((row, i) => (wrong.includes(i + 1) ? rows[i] : row))
      return prepare({ rows: mended, replaces: first.id }, 'salaries-2')
    },
  ])
  expect(offered.filter((name) => /run/.test(name)).sort()).toEqual(['get_payout_run', 'prepare_payout_run'])
  const [before, after] = seen.map(({ body }) => body as unknown as PayoutRun) as [PayoutRun, PayoutRun]
  expect([before.left_out, after.left_out, after.payments, after.status]).toEqual([3, 0, 40, 'DRAFT'])
  const { hash } = await owner.api<Run>(`/runs/${after.id}/submit`, { token, body: {} })
  await owner.api(`/runs/${after.id}/approve`, { token, body: { hash } })
  const heard = () => receiver.received.find(({ type }) => type === 'run.finished')?.body
  await expect.poll(heard, within(60_000)).toContain(after.id)
  const { seen: looked } = await run([{ name: 'get_payout_run', input: { run_id: after.id } }])
  expect(looked[0]!.body).toMatchObject({ status: 'DONE', progress: { paid: 40, not_paid: 0 } })
  await receiver.stop()
})

/** The owner approves the only payment that waits. */
async function approve() {
  const { sender } = agent
  const token = await sender.token()
  const { approvals } = await owner.api<ApprovalList>('/approvals?status=pending', { token })
  expect(approvals).toHaveLength(1)
  const [{ id, hash }] = approvals as [ApprovalList['approvals'][number]]
  await owner.api(`/approvals/${id}/approve`, { token, body: { hash } })
}

test('an agent of the AI SDK looks at a payment that waits for its owner until it is granted, and pays once @frameworks-4', async () => {
  const { sender } = agent
  const body = { name: 'Group', scopes, approveAbove: '5' }
  await owner.api(`/policy-groups/${sender.groupId}`, { token: await sender.token(), method: 'PUT', body })
  const look = (read: string): Call => ({
    name: 'get_payment',
    input: { payment_id: /pay_[0-9a-z]{20,}/.exec(read)![0] },
  })
  const { text, seen } = await run([
    pay('6', 'data-4'),
    look,
    async (read) => {
      await approve()
      return look(read)
    },
    pay('6', 'data-4'),
  ])
  expect(text).toBe('done')
  const [asked, waiting, granted, again] = seen.map((each) => each.body) as [object, object, object, object]
  expect(asked).toMatchObject({ status: 'PENDING_APPROVAL', approval: { status: 'PENDING' } })
  expect(waiting).toMatchObject({ status: 'PENDING_APPROVAL' })
  expect(granted).toMatchObject({ amount: '6', approval: { status: 'APPROVED' } })
  expect((granted as { status: string }).status).not.toBe('PENDING_APPROVAL')
  const { id } = asked as { id: string }
  expect(again).toMatchObject({ id, replayed: true })
  expect(await bursar.payments.wait(id)).toMatchObject({ status: 'CONFIRMED', amount: '6' })
})

test('a model of the AI SDK buys from an x402 seller with the tool of the page, once @frameworks-5', async () => {
  const sdk = await installPackage()
  await mkdir(join(folder, 'node_modules/@bursar'), { recursive: true })
  await symlink(join(sdk.folder, 'node_modules/@bursar/sdk'), join(folder, 'node_modules/@bursar/sdk'))
  await writeFile(join(folder, 'readPaid.mjs'), shownTool)
  const { readPaid } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'readPaid.mjs')).href)
  const { generateText, isStepCount } = await importClient('ai/dist/index.js')
  const payTo = addressFor('AI SDK shop')
  const seller = await startSeller({ rpcUrl, usdc, payTo, prices: { '/data': 50_000 } })
  try {
    const call = (max_amount: string, idempotency_key: string): Call => ({
      name: 'readPaid',
      input: { url: `${seller.url}/data`, max_amount, idempotency_key },
    })
    const model = scripted([call('0.05', 'data-5'), call('0.05', 'data-5'), call('0.01', 'data-6')])
    const stopWhen = isStepCount(8)
    const { text, steps } = await generateText({ model, prompt: 'Read the data.', tools: { readPaid }, stopWhen })
    expect(text).toBe('done')
    // biome-ignore lint/suspicious/noExplicitAny: an untyped package, see importClient
    const [bought, again, tooDear] = steps.flatMap((step: any) =>
      step.content.filter(({ type }: { type: string }) => type === 'tool-result' || type === 'tool-error'),
    )
    expect(bought.output).toEqual({ status: 200, paid: '0.05', text: 'paid /data' })
    expect(String(again.error)).toMatch(/pay_\w+ .*(replied 402|asks again)/)
    expect(String(tooDear.error)).toContain('more than max_amount')
    expect(await chainReader(rpcUrl, usdc).balanceOf(payTo)).toBe(50_000n)
  } finally {
    await seller.stop()
  }
})
