import type { AlertRow } from '#domain/alerts.ts'
import { isoOf } from '#domain/time.ts'
import type { Env } from '../env.ts'
import { email } from '../notifications/email.ts'
import { paragraph } from '../notifications/emailBody.ts'
import type { MessageProvider } from '../notifications/message.ts'
import { logError, logWarning } from '../observability/log.ts'

const timeoutMs = 5_000 // 5 seconds

/**
 * Announces the start or end of a condition in the log, by email and to the webhook. Returns true if at least one configured
 * channel accepted it, or if none is configured.
 */
export async function sendAlert(
  env: Pick<Env, 'ALERT_EMAIL' | 'ALERT_WEBHOOK' | 'APP_ORIGIN'>,
  messages: MessageProvider,
  alert: AlertRow,
  state: 'started' | 'ended',
): Promise<boolean> {
  const { key, since, text } = alert
  logWarning(`alert_${state}`, { condition: key, since: isoOf(since), text })
  const title = `${state === 'started' ? 'Alert' : 'Resolved'}: ${text}`
  const channels = [
    ...(env.ALERT_EMAIL ? [byEmail(env.ALERT_EMAIL)] : []),
    ...(env.ALERT_WEBHOOK ? [toWebhook(env.ALERT_WEBHOOK)] : []),
  ]
  const results = await Promise.allSettled(channels)
  for (const result of results)
    if (result.status === 'rejected') logError('alert_not_sent', { condition: key }, result.reason)
  return results.length === 0 || results.some(({ status }) => status === 'fulfilled')

  async function byEmail(to: string): Promise<void> {
    const parts = [
      paragraph(title),
      paragraph(`Condition ${key} of ${env.APP_ORIGIN}, since ${isoOf(since)}.`),
      paragraph(`docs/operations.md#${key.split(':')[0]} explains what it means and what to do.`),
    ]
    await messages.send(email({ id: `alert:${key}:${since}:${state}`, to, subject: title.slice(0, 120), parts }))
  }
  async function toWebhook(url: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: title, condition: key, state, since: isoOf(since) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the alert webhook returned ${response.status}`)
  }
}
