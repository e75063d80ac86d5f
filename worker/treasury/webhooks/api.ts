import type { CreatedWebhook, Delivery, RotatedSecret, Webhook, WebhookFilter } from '#schemas/webhook.ts'
import type { Result } from '../../result.ts'
import type { WebhookFailure, WebhookTargets } from '../../webhooks/api.ts'

/** Part of TreasuryApi: the account's webhooks. The Treasury decides what is sent to whom, the WebhookSender sends it. */

/** Missing fields stay as they are. Switching a webhook on again clears its failures. */
export type WebhookEdit = {
  url?: string | undefined
  events?: WebhookFilter[] | undefined
  enabled?: boolean | undefined
}

export interface WebhookCalls {
  webhooks(): Promise<Webhook[]>
  webhook(id: string): Promise<Result<Webhook>>
  createWebhook(input: { url: string; events: WebhookFilter[] }): Promise<Result<CreatedWebhook>>
  editWebhook(id: string, edit: WebhookEdit): Promise<Result<Webhook>>
  deleteWebhook(id: string): Promise<Result<null>>
  /** The old secret signs along with the new one for 24 hours. */
  rotateWebhookSecret(id: string): Promise<Result<RotatedSecret>>
  /** Sends a `webhook.test` event and returns its id. */
  testWebhook(id: string): Promise<Result<{ id: string }>>
  replayDelivery(id: string, eventId: string): Promise<Result<Delivery>>
  /** For the WebhookSender, with the secrets in plain text. */
  webhookTargets(): Promise<WebhookTargets>
  /** Called by the WebhookSender. Switches the webhook off and emails the owner. Repeated calls change nothing. */
  webhookFailed(failure: WebhookFailure): Promise<void>
}
