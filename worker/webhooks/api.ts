import type { DisableReason } from '#domain/webhookRules.ts'
import type { Delivery } from '#schemas/webhook.ts'
import type { Result } from '../result.ts'

/**
 * WebhookSender: one Durable Object per user, under the user's id. Holds events until each webhook has them, and the
 * record of deliveries. The Treasury owns the webhooks themselves and is asked for them before anything is sent.
 */

/** An event as it leaves the Treasury. `body` is the JSON that is sent, `endpoints` who receives it. */
export type OutgoingEvent = { id: string; type: string; at: number; body: string; endpoints: string[] }

/** What the Treasury says of one webhook. `version` rises when it is switched on. Secrets: newest first. */
export type WebhookTarget = { id: string; url: string; version: number; isOn: boolean; secrets: string[] }

/** `isSuspended`: nothing is sent now, and what waits goes on waiting. */
export type WebhookTargets = { isSuspended: boolean; endpoints: WebhookTarget[] }

/** What the sender tells the Treasury; `version` as in the target, so that a report about an earlier state changes nothing. */
export type WebhookFailure = { id: string; version: number; reason: DisableReason }

export interface WebhookSenderApi extends Rpc.DurableObjectBranded {
  /** Stores the events; repeated ones change nothing. They are sent by alarm. */
  accept(events: OutgoingEvent[]): Promise<void>
  /** The Treasury's webhooks have changed: they are asked for again before anything is sent. */
  refresh(): Promise<void>
  /** Newest first. `before`: older than this one. */
  deliveries(
    endpointId: string,
    before: number | null,
    limit: number,
  ): Promise<{ deliveries: Delivery[]; next: number | null }>
  /** Sends the event once more, under the same id, whatever became of it. */
  replay(endpointId: string, eventId: string): Promise<Result<Delivery>>
  /** From the cron watchdog or an operator: does at once what waits for an alarm. True: work was due and the alarm was lost. */
  wakeUp(): Promise<boolean>
}
