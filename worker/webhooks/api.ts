import type { DisableReason } from '#domain/webhookRules.ts'
import type { Delivery } from '#schemas/webhook.ts'
import type { Result } from '../result.ts'

/**
 * WebhookSender: one Durable Object per user, under the user's id. Holds events until each webhook has received them, and
 * the record of deliveries. The Treasury owns the webhooks themselves; the sender requests them before it sends anything.
 */

/** An event as it leaves the Treasury. `body` is the JSON that is sent; `endpoints` are the ids of its webhooks. */
export type OutgoingEvent = { id: string; type: string; at: number; body: string; endpoints: string[] }

/** A webhook as the Treasury returns it. `version` rises when its failures are cleared. Secrets are newest first. */
export type WebhookTarget = { id: string; url: string; version: number; isOn: boolean; secrets: string[] }

/** `isSuspended`: nothing is sent now, and waiting events keep waiting. */
export type WebhookTargets = { isSuspended: boolean; endpoints: WebhookTarget[] }

/** A report to the Treasury. `version` is the target's, so that a report about an earlier state changes nothing. */
export type WebhookFailure = { id: string; version: number; reason: DisableReason }

export interface WebhookSenderApi extends Rpc.DurableObjectBranded {
  /** Stores the events; repeated ones change nothing. They are sent by alarm. */
  accept(events: OutgoingEvent[]): Promise<void>
  /** Called when the Treasury's webhooks have changed. They are requested again before anything is sent. */
  refresh(): Promise<void>
  /** Deliveries that are older than `before`, newest first. */
  deliveries(
    endpointId: string,
    before: number | null,
    limit: number,
  ): Promise<{ deliveries: Delivery[]; next: number | null }>
  /** Sends the event once more, under the same id, regardless of its earlier outcome. */
  replay(endpointId: string, eventId: string): Promise<Result<Delivery>>
  /** Called by the cron watchdog or an operator: works immediately. True if work was due and the alarm was lost. */
  wakeUp(): Promise<boolean>
}
