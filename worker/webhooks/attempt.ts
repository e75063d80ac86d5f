import { attemptTimeoutMs } from '#domain/webhookRules.ts'
import { type WebhookRules, webhookUrlProblem } from '#domain/webhookUrl.ts'
import type { WebhookTarget } from './api.ts'
import { signedHeaders } from './signature.ts'

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
