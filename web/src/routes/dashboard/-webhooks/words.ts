import type { DisableReason } from '#domain/webhookRules.ts'
import { plural } from '../../../lib/format.ts'
import type { Webhook } from '../../../queries/webhooks.ts'

/** Where it goes, in short: the host. */
export const hostOf = (webhook: Webhook): string => URL.parse(webhook.url)?.host ?? webhook.url

export const eventsText = ({ events }: Webhook): string =>
  events.includes('*') ? 'Every event' : events.length <= 2 ? events.join(', ') : plural(events.length, 'event')

/** Why Bursar switched it off, and what helps. */
export const disabledTexts: Record<DisableReason, string> = {
  gone: 'Switched off: the address answered 410, which means that it wants no more events.',
  failing: 'Switched off: every attempt failed for three days. Repair the address, then switch it on again.',
  too_many_waiting: 'Switched off: the address takes fewer events than happen. Make it faster or choose fewer events.',
}
