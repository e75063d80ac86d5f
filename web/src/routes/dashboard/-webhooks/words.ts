import type { DisableReason } from '#domain/webhookRules.ts'
import { plural } from '#web/lib/format.ts'
import type { Webhook } from '#web/queries/webhooks.ts'

/** The host that a webhook is sent to. */
export const hostOf = (webhook: Webhook): string => URL.parse(webhook.url)?.host ?? webhook.url

export const eventsText = ({ events }: Webhook): string =>
  events.includes('*') ? 'Every event' : events.length <= 2 ? events.join(', ') : plural(events.length, 'event')

/** Why Bursar switched a webhook off, and how to fix it. */
export const disabledTexts: Record<DisableReason, string> = {
  gone: 'Switched off: the address returned 410 Gone, so we stopped sending events.',
  failing: 'Switched off: every attempt failed for three days. Fix the receiver, then switch it on again.',
  too_many_waiting: 'Switched off: the address can’t keep up with the events. Make it faster or choose fewer events.',
}
