import type { WebhookFilter } from '#schemas/webhook.ts'

/** Missing fields stay as they are. Switching a webhook on again clears its failures. */
export type WebhookEdit = {
  url?: string | undefined
  events?: WebhookFilter[] | undefined
  enabled?: boolean | undefined
  passwordChecked?: boolean
}
