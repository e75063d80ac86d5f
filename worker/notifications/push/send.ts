import { buildPushPayload } from '@block65/webcrypto-web-push'
import { isPushEndpoint } from '#domain/pushHosts.ts'
import type { PushSubscription } from '#schemas/push.ts'
import type { Settings } from '../../settings.ts'
import { vapidKeys } from './vapid.ts'

const timeoutMs = 5_000 // 5 seconds

/**
 * What a notification says. `path`: where a click leads, below APP_ORIGIN. A later message with the same `tag` replaces an
 * earlier one on the device. The push service can't read any of it, a lock screen may show it.
 */
export type PushNotice = { title: string; body: string; path: string; tag: string }

/** `gone`: the subscription has ended for good. */
export type PushResult = 'accepted' | 'failed' | 'gone'
export type PushSettings = Pick<Settings, 'PUSH_PRIVATE_JWK' | 'PUSH_ENDPOINT' | 'MAIL_FROM' | 'APP_ORIGIN'>

/**
 * Hands one notice to a browser's push service, encrypted for that browser (RFC 8291). Never throws: a service that is
 * down, slow or refuses has `failed`. `ttlSeconds`: how long the service keeps it for a device that is off.
 */
export async function sendPush(
  env: PushSettings,
  { endpoint, keys }: PushSubscription,
  notice: PushNotice,
  ttlSeconds: number,
): Promise<PushResult> {
  // Checked when it was saved; the list may have become shorter since.
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
      // A reply from elsewhere is never followed, and nothing of it is kept.
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

/** Whom a push service may write to about our messages (RFC 8292, section 2.1). */
const contactOf = ({ MAIL_FROM, APP_ORIGIN }: PushSettings) => (MAIL_FROM ? `mailto:${MAIL_FROM}` : APP_ORIGIN)

function addressOf(env: PushSettings, endpoint: string): string {
  if (!env.PUSH_ENDPOINT) return endpoint
  const { pathname, search } = new URL(endpoint)
  return `${env.PUSH_ENDPOINT}${pathname}${search}`
}
