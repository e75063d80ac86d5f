import { buildPushPayload } from '@block65/webcrypto-web-push'
import { base64url } from 'jose'
import { isPushEndpoint } from '#domain/pushHosts.ts'
import type { PushSubscription } from '#schemas/push.ts'
import type { Settings } from '../settings.ts'

const timeoutMs = 5_000 // 5 seconds

/**
 * Content of a notification. A click opens `path` below APP_ORIGIN. A later message with the same `tag` replaces an
 * earlier one on the device. The push service cannot read any of it, but a lock screen may show it.
 */
export type PushNotice = { title: string; body: string; path: string; tag: string }

/** `gone`: the subscription has permanently ended. */
export type PushResult = 'accepted' | 'failed' | 'gone'
export type PushSettings = Pick<Settings, 'PUSH_PRIVATE_JWK' | 'PUSH_ENDPOINT' | 'MAIL_FROM' | 'APP_ORIGIN'>

/**
 * Sends one notice to a browser's push service, encrypted for that browser (RFC 8291). Never throws: returns `failed` if the
 * service is down, slow or refuses. `ttlSeconds` is how long the service keeps the notice for a device that is off.
 */
export async function sendPush(
  env: PushSettings,
  { endpoint, keys }: PushSubscription,
  notice: PushNotice,
  ttlSeconds: number,
): Promise<PushResult> {
  // Also checked when it was saved, but the list of hosts may have changed since.
  if (!isPushEndpoint(endpoint) || !env.PUSH_PRIVATE_JWK) return 'failed'
  try {
    const message = { data: notice, options: { ttl: Math.max(1, Math.floor(ttlSeconds)), urgency: 'high' as const } }
    const { headers, body } = await buildPushPayload(
      message,
      { endpoint, keys, expirationTime: null },
      { subject: contactOf(env), ...vapidKeys(env.PUSH_PRIVATE_JWK) },
    )
    const response = await fetch(addressOf(env, endpoint), {
      method: 'POST',
      headers,
      body,
      // Redirects are never followed, and the reply is not read.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (response.ok) return 'accepted'
    return response.status === 404 || response.status === 410 ? 'gone' : 'failed'
  } catch {
    return 'failed'
  }
}

/** Contact for push services that have questions about our messages (RFC 8292, section 2.1). */
const contactOf = ({ MAIL_FROM, APP_ORIGIN }: PushSettings) => (MAIL_FROM ? `mailto:${MAIL_FROM}` : APP_ORIGIN)

function addressOf(env: PushSettings, endpoint: string): string {
  if (!env.PUSH_ENDPOINT) return endpoint
  const { pathname, search } = new URL(endpoint)
  return `${env.PUSH_ENDPOINT}${pathname}${search}`
}

/** The key pair of PUSH_PRIVATE_JWK in the form that browsers and push services use: base64url of the point and of `d`. */
export function vapidKeys(privateJwk: string): { publicKey: string; privateKey: string } {
  const { x, y, d } = JSON.parse(privateJwk) as Record<'x' | 'y' | 'd', string>
  const point = new Uint8Array([4, ...base64url.decode(x), ...base64url.decode(y)])
  return { publicKey: base64url.encode(point), privateKey: d }
}
