/** Webhooks over real connections: verified by third-party libraries, and sent to receivers that misbehave. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { CreatedWebhook, DeliveryPage, WebhookFilter } from '#schemas/webhook.ts'
import { PaymentEventData } from '#schemas/webhook.ts'
import { Bursar, verifyWebhook } from '#sdk'
import { freePort } from '../../local/stack/ports.ts'
import { clientPath, importClient } from '../support/clients.ts'
import { within } from '../support/patience.ts'
import { addressFor } from '../support/stackClient.ts'
import { startReceiver } from '../support/webhookServer.ts'
import { bursar, createAgent, url as ownUrl } from './gateway.ts'

const agent = await createAgent()
const token = await agent.sender.token()
const { password } = agent.sender
const receivers: { stop: () => Promise<void> }[] = []

afterAll(() => Promise.all(receivers.map(({ stop }) => stop())))

async function receiver(events: WebhookFilter[], respond?: Parameters<typeof startReceiver>[0]) {
  const started = await startReceiver(respond)
  receivers.push(started)
  const hook = await bursar.api<CreatedWebhook>('/webhooks', { token, body: { url: started.url, events, password } })
  const remove = () => bursar.api(`/webhooks/${hook.id}`, { method: 'DELETE', token })
  const deliveries = async () =>
    (await bursar.api<DeliveryPage>(`/webhooks/${hook.id}/deliveries`, { token })).deliveries
  const sendTest = () => bursar.api(`/webhooks/${hook.id}/test`, { method: 'POST', token })
  return { ...started, hook, remove, deliveries, sendTest }
}

const payer = new Bursar({ url: ownUrl, apiKey: agent.apiKey })
const pay = () => payer.pay({ to: addressFor('webhooks'), amount: '0.5' })

test('the Standard Webhooks and OpenAI libraries and the SDK verify each event and reject a modified one @webhooks-16', async () => {
  const { Webhook } = await importClient('standardwebhooks/dist/index.js')
  const { default: OpenAI } = await importClient('openai/index.mjs')
  const { received, hook, remove } = await receiver(['*'])
  const { id } = await pay()
  await expect.poll(() => received.map(({ type }) => type), within(20_000)).toContain('payment.confirmed')
  const standard = new Webhook(hook.secret)
  const openai = new OpenAI({ apiKey: 'none', webhookSecret: hook.secret })
  for (const { body, headers, type } of received) {
    expect(standard.verify(body, headers)).toMatchObject({ type, data: { id } })
    expect(await openai.webhooks.unwrap(body, headers)).toMatchObject({ type, data: { id } })
    expect(await verifyWebhook({ body, headers, secret: hook.secret })).toMatchObject({ type, data: { id } })
    const changed = body.replace('"0.5"', '"5.0"')
    expect(() => standard.verify(changed, headers)).toThrow(/signature/i)
    await expect(openai.webhooks.unwrap(changed, headers)).rejects.toThrow(/signature/i)
    await expect(verifyWebhook({ body: changed, headers, secret: hook.secret })).rejects.toThrow(/signature/i)
    expect(PaymentEventData.strict().safeParse(JSON.parse(body).data).error?.issues ?? []).toEqual([])
  }
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length)
  await remove()
})

test('deliveries follow no redirect, read no huge reply, wait for no slow receiver, and handle closed connections and 410 @webhooks-17', async () => {
  const elsewhere = await startReceiver()
  receivers.push(elsewhere)
  let written = 0
  const slow = await receiver(['webhook.test'], () => {})
  const redirecting = await receiver(['webhook.test'], (_, response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  )
  const huge = await receiver(['webhook.test'], (_, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(65_536)
    const write = () => {
      while (written < 10_000_000 && !response.destroyed) {
        written += chunk.length
        if (!response.write(chunk)) return response.once('drain', write)
      }
      return response.end()
    }
    write()
  })
  const closing = await receiver(['webhook.test'], (request) => request.socket.destroy())
  const gone = await receiver(['webhook.test'], (_, response) => response.writeHead(410).end())
  const all = [slow, redirecting, huge, closing, gone]
  for (const { sendTest } of all) await sendTest()
  await expect.poll(async () => (await huge.deliveries())[0]?.status, within(10_000)).toBe('delivered')
  await expect.poll(async () => (await gone.deliveries())[0]?.status, within(10_000)).toBe('failed')
  await expect
    .poll(async () => (await redirecting.deliveries())[0]?.attemptList[0], within(10_000))
    .toMatchObject({ status: 307, error: 'Redirects are not followed' })
  await expect
    .poll(async () => (await closing.deliveries())[0]?.attemptList[0], within(10_000))
    .toMatchObject({ status: null, error: 'No connection' })
  expect(elsewhere.received).toEqual([])
  expect(written, 'the huge reply is not read to its end').toBeLessThan(10_000_000)
  // The closing receiver is tried again five seconds after its first failure; now it replies.
  closing.respond((_, response) => response.end())
  await expect.poll(async () => (await closing.deliveries())[0]?.status, within(15_000)).toBe('delivered')
  expect(new Set(closing.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await expect
    .poll(async () => (await slow.deliveries())[0]?.attemptList[0], within(20_000))
    .toMatchObject({ status: null, error: 'No response within 15 seconds' })
  const firstAttempt = async ({ deliveries }: (typeof all)[number]) => (await deliveries())[0]!.attemptList[0]!
  const { at, ms } = await firstAttempt(slow)
  for (const other of all.slice(1))
    expect(Date.parse((await firstAttempt(other)).at), 'did not wait for the slow one').toBeLessThan(
      Date.parse(at) + ms,
    )
  for (const { remove } of all) await remove()
})

test('the receiver of the walk-through prints the events of a payment @webhooks-22', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/walkthrough.md'), 'utf8')
  const code = /```js\n(.*?standardwebhooks.*?)```/s.exec(page)![1]!
  const port = await freePort()
  const hook = await bursar.api<CreatedWebhook>('/webhooks', {
    token,
    body: { url: `http://127.0.0.1:${port}/`, events: ['*'], password }, // the page's default
  })
  const child = spawn(process.execPath, ['--input-type=module', '-e', code.replace('9000', String(port))], {
    cwd: clientPath('..'), // where the library is installed
    env: { ...process.env, WEBHOOK_SECRET: hook.secret },
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const { id } = await pay()
  await expect
    .poll(() => printed.trim().split('\n').sort(), within(30_000))
    .toEqual([
      `payment.accepted ${id} 0.5 null → QUEUED`,
      `payment.confirmed ${id} 0.5 PROCESSING → CONFIRMED`,
      `payment.signed ${id} 0.5 QUEUED → PROCESSING`,
    ])
  const shown = page.match(/^payment\.\w+ pay_\w+ .*$/gm)!
  expect(shown.map((line) => line.replace(/pay_\w+/, id)).sort()).toEqual(printed.trim().split('\n').sort())
  child.kill()
  await bursar.api(`/webhooks/${hook.id}`, { method: 'DELETE', token })
})

test('webhooks to our own address or to private networks are refused @webhooks-18', async () => {
  for (const refused of [
    `${ownUrl}/api/webhooks`,
    'http://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[::ffff:a00:1]/',
  ]) {
    const reply = await bursar.call<{ code: string; field: string }>('/api/webhooks', {
      token,
      body: { url: refused, events: ['*'] },
    })
    expect([reply.status, reply.body.code, reply.body.field], refused).toEqual([400, 'invalid_input', 'url'])
  }
})
