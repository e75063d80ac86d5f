/** A webhook's receiver inside workerd. The test controls the sender's network and clock. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import type { WebhookFilter } from '#schemas/webhook.ts'
import { unwrap } from '../../worker/result.ts'
import type { WebhookSender } from '../../worker/webhooks/webhookSender.ts'
import { env } from './testEnv.ts'

type Event = { id: string; body: string; type: string; data: Record<string, unknown> & { id: string; seq: number } }
type Respond = (signal: AbortSignal) => Response | Promise<Response>

let receivers = 0

/** Creates a receiver with its own URLs, which checks the signature of every event. */
export async function createReceiver(userId: string) {
  const sender = () => env.WEBHOOK_SENDER.getByName(userId)
  const treasury = env.TREASURY.getByName(userId)
  const responders = new Map<string, Respond>()
  const received = new Map<string, Event[]>()
  const secrets = new Map<string, string>()
  let aheadMs = 0

  const fetcher = (async (input: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    const response = await responders.get(input)!(init.signal!)
    const [id, body] = [headers.get('webhook-id')!, init.body as string]
    const signed = `${id}.${headers.get('webhook-timestamp')}.${body}`
    const key = Buffer.from(secrets.get(input)!.slice('whsec_'.length), 'base64')
    const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    expect(headers.get('webhook-signature')!.split(' ')).toContain(signature)
    if (response.ok) received.get(input)!.push({ id, body, ...JSON.parse(body) })
    return response
  }) as typeof fetch

  /** Has to be called again after the object was reloaded. */
  const attach = () =>
    runInDurableObject(sender(), (object: WebhookSender) => {
      object.fetcher = fetcher
      object.clock = { now: () => Date.now() + aheadMs, random: () => 0.5 }
    })
  await attach()

  return {
    sender,
    attach,
    /** Adds a webhook; `respond` decides its receiver's reply. */
    async add(events: WebhookFilter[] = ['*'], respond: Respond = () => new Response()) {
      receivers += 1
      const url = `https://receiver${receivers}.example.com/hook`
      const created = unwrap(await treasury.webhooks().create({ url, events, passwordChecked: true }))
      responders.set(url, respond)
      received.set(url, [])
      secrets.set(url, created.secret)
      const { id } = created
      return {
        id,
        url,
        events: () => received.get(url)!,
        types: () => received.get(url)!.map(({ type }) => type),
        respond: (next: Respond) => responders.set(url, next),
        useSecret: (secret: string) => secrets.set(url, secret),
        deliveries: async () => (await sender().deliveries(id, null, 100)).deliveries,
        now: async () => {
          const found = await treasury.webhooks().get(id)
          return found.ok ? found.value : null
        },
      }
    },
    /** Moves the sender's clock forward in steps, and runs what is due after each. */
    async pass(ms: number, steps = 1) {
      for (let step = 0; step < steps; step++) {
        aheadMs += ms / steps
        await runDurableObjectAlarm(sender())
        await settled(sender())
      }
    },
    /** Moves the sender's clock forward, and does nothing else. */
    ahead(ms: number) {
      aheadMs += ms
    },
    settled: () => settled(sender()),
  }
}

/** Waits until deliveries in progress have ended. */
async function settled(sender: DurableObjectStub<WebhookSender>): Promise<void> {
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    await runDurableObjectAlarm(sender)
  }
}
