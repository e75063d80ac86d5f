import { attemptTimeoutMs } from '#domain/webhookRules.ts'
import { type WebhookRules, webhookUrlProblem } from '#domain/webhookUrl.ts'
import type { WebhookTarget } from './api.ts'

export type Outcome = { isDelivered: boolean; status: number | null; error: string | null }
type Send = { event: { id: string; body: string }; target: WebhookTarget; now: () => number; rules: WebhookRules }

/**
 * Makes one attempt to send an event. Any 2xx status is a delivery. Never throws. Redirects are not followed, and the
 * response's body is neither read nor kept: what an address within our reach returns must not leak to the webhook's owner.
 */
export async function attempt(fetcher: typeof fetch, { event, target, now, rules }: Send): Promise<Outcome> {
  // The rules may be stricter than when the address was saved.
  const problem = webhookUrlProblem(target.url, rules)
  if (problem) return failed(`Not sent: ${problem}`)
  try {
    const response = await fetcher(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Bursar-Webhooks/1',
        ...(await signedHeaders(event.id, now(), event.body, target.secrets)),
      },
      body: event.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptTimeoutMs),
    })
    await response.body?.cancel().catch(() => {})
    const { status } = response
    if (status >= 200 && status < 300) return { isDelivered: true, status, error: null }
    return { isDelivered: false, status, error: status >= 300 && status < 400 ? 'Redirects are not followed' : null }
  } catch (error) {
    return failed(
      error instanceof Error && error.name === 'TimeoutError' ? 'No response within 15 seconds' : 'No connection',
    )
  }
}

const failed = (error: string): Outcome => ({ isDelivered: false, status: null, error })

/**
 * Headers of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`, one signature for
 * each secret that is valid now. `secrets` are `whsec_` and base64; `at` in ms.
 */
export async function signedHeaders(id: string, at: number, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(at / 1000))
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(
    secrets.map(async (secret) => {
      const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (char) => char.charCodeAt(0))
      const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
      const signature = await crypto.subtle.sign('HMAC', key, signed)
      return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`
    }),
  )
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
