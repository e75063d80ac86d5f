/** A sender's webhook while the Worker is killed. Compares what it received with what happened. */
import type { CreatedWebhook, DeliveryPage } from '#schemas/webhook.ts'
import { type BursarClient, until } from '../../local/client.ts'
import type { Random } from '../support/random.ts'
import type { Sender } from '../support/stackClient.ts'
import { type Received, startReceiver } from '../support/webhookServer.ts'
import type { Books } from './checker.ts'

export type ChaosWebhook = Awaited<ReturnType<typeof addWebhook>>

/** Receives every event of the sender, and refuses some of them at first. */
export async function addWebhook(bursar: BursarClient, sender: Sender, random: Random) {
  const refused = new Set<string>()
  const receiver = await startReceiver((request, response) => {
    const id = request.headers['webhook-id'] as string
    const isRefused = !refused.has(id) && random.chance(10)
    if (isRefused) refused.add(id)
    response.writeHead(isRefused ? 500 : 200).end()
  })
  const hook = await bursar.api<CreatedWebhook>('/webhooks', {
    token: await sender.token(),
    body: { url: receiver.url, events: ['*'], password: sender.password },
  })
  /** Waits until no delivery is pending. */
  const atRest = (withinMs: number) =>
    until(
      'every event delivered',
      async () => {
        for (let cursor: string | null = ''; cursor !== null; ) {
          const path: string = `/webhooks/${hook.id}/deliveries${cursor && `?cursor=${cursor}`}`
          const page: DeliveryPage = await bursar.api(path, { token: await sender.token() })
          if (page.deliveries.some(({ status }) => status !== 'delivered')) return null
          cursor = page.next
        }
        return true
      },
      withinMs,
    )
  return { ...receiver, atRest }
}

/** Checks that no event is missing or invented, and that the newest event of each payment shows its final state. */
export function webhookProblems(received: Received[], { transactions }: Books): string[] {
  const problems: string[] = []
  const statuses = new Map(transactions.map(({ id, status }) => [id, status]))
  const contents = new Map<string, string>()
  for (const { headers, body, type, data } of received) {
    const id = headers['webhook-id']!
    if ((contents.get(id) ?? body) !== body) problems.push(`event ${id} was sent with two contents`)
    contents.set(id, body)
    if (!statuses.has(String(data.id))) problems.push(`${type} of ${data.id}, which does not exist`)
  }
  const unique = received.filter(
    ({ headers }, i) => received.findIndex((one) => one.headers['webhook-id'] === headers['webhook-id']) === i,
  )
  for (const [id, events] of Map.groupBy(unique, ({ data }) => String(data.id))) {
    const inOrder = events.toSorted((a, b) => Number(a.data.seq) - Number(b.data.seq))
    const seqs = new Set(inOrder.map(({ data }) => data.seq))
    if (seqs.size < inOrder.length) problems.push(`${id}: two events with one seq`)
    let before: unknown = null
    for (const { type, data } of inOrder) {
      if (data.previous_status !== before)
        problems.push(`${id}: ${type} follows ${before} and says ${data.previous_status}`)
      before = data.status
    }
    if (before !== statuses.get(id)) problems.push(`${id}: the newest event says ${before}, it is ${statuses.get(id)}`)
  }
  const reported = new Set(unique.map(({ data }) => data.id))
  // The end of a payout is listed separately from its funding, under its own id.
  const missing = [...statuses.keys()].filter((id) => !id.includes(':') && !reported.has(id))
  problems.push(...missing.map((id) => `no event of ${id}`))
  return problems
}
