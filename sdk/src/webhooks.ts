import { BursarWebhookRejected } from './errors.ts'
import type { WebhookEvent } from './types.ts'

type HeaderSource = Headers | Record<string, string | string[] | undefined>

export type VerifyOptions = {
  /** The body exactly as it was received, before any parsing. */
  body: string
  /** The headers of the request. */
  headers: HeaderSource
  /** The webhook's secret, `whsec_…`. */
  secret: string
  /** How far the sender's clock may differ from ours, in seconds. Default: 300, which is 5 minutes. */
  toleranceSeconds?: number
  /** Unix time in ms. Default: the clock. */
  now?: number
}

/**
 * Checks that Bursar sent this request to a webhook, and returns its event. An event may arrive more than once and in any
 * order: of two about one payment, the one with the higher `data.seq` is newer.
 *
 * Throws BursarWebhookRejected if the signature is wrong, the request is too old, or a header is missing.
 *
 * @example
 * export default {
 *   async fetch(request: Request, env: { WEBHOOK_SECRET: string }) {
 *     const { headers } = request
 *     const event = await verifyWebhook({ body: await request.text(), headers, secret: env.WEBHOOK_SECRET })
 *     if (event.type === 'payment.confirmed') console.log(event.data.id, event.data.amount)
 *     return new Response()
 *   },
 * }
 */
export async function verifyWebhook(options: VerifyOptions): Promise<WebhookEvent> {
  const { body, headers, secret, toleranceSeconds = 300, now = Date.now() } = options
  const found = new Map([...entriesOf(headers)].map(([name, value]) => [name.toLowerCase(), value]))
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = found.get(name)
    if (typeof value !== 'string' || !value) throw new BursarWebhookRejected(`The header ${name} is missing.`)
    return value
  }) as [string, string, string]
  const differs = Math.abs(now / 1000 - Number(timestamp))
  // Also refuses a timestamp that is no number.
  if (!(differs <= toleranceSeconds))
    throw new BursarWebhookRejected(
      `webhook-timestamp differs from the clock by ${Math.round(differs)} seconds, more than ${toleranceSeconds}.`,
    )
  const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : null
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(body) as WebhookEvent
  }
  throw new BursarWebhookRejected('No signature matches the secret.')
}

const entriesOf = (headers: HeaderSource): Iterable<[string, string | string[] | undefined]> =>
  headers instanceof Headers ? headers : Object.entries(headers)

function keyOf(secret: string) {
  const key = bytesOf(secret.replace(/^whsec_/, ''))
  if (!key?.length) throw new TypeError('secret: must be whsec_ and base64, as the dashboard shows it')
  return key
}

function bytesOf(base64: string) {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}
