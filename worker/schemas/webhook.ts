import { z } from 'zod'
import { type WebhookEvent, webhookEvents } from '#domain/events.ts'
import { runStatuses } from '#domain/runs/runStatus.ts'
import type { DisableReason } from '#domain/webhookRules.ts'
import { ownerPassword } from './common.ts'
import { Payment } from './payment.ts'

const url = z
  .string({ error: 'Enter an address' })
  .trim()
  .min(1, 'Enter an address')
  .max(500, 'The address is too long')
/** `["*"]` selects all events, including those of later versions. */
const names = z
  .array(z.enum(['*', ...webhookEvents], { error: 'Unknown event' }), { error: 'Choose at least one event' })
  .min(1, 'Choose at least one event')
  .max(100)
  .transform((list) => (list.includes('*') ? ['*' as const] : [...new Set(list)]))

/** POST /webhooks */
export const CreateWebhook = z.object({ url, events: names, password: ownerPassword })
/** PATCH /webhooks/{id}: absent fields are unchanged. */
export const EditWebhook = z.object({
  url: url.optional(),
  events: names.optional(),
  enabled: z.boolean().optional(),
  password: ownerPassword,
})
/** POST /webhooks/{id}/rotate-secret */
export const RotateSecret = z.object({ password: ownerPassword })
/** GET /webhooks/{id}/deliveries: `cursor` is `next` of the previous page. */
export const DeliveriesQuery = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Unknown cursor')
    .transform(Number)
    .optional(),
})

/** `data` of every event except the test event: the payment as in /v1, plus fields of the event. */
export const PaymentEventData = Payment.extend({
  agent_id: z.string().nullable().describe('The agent that requested it; null if the account’s owner did.'),
  previous_status: Payment.shape.status.nullable().describe('Status before this event; null if the payment is new.'),
  seq: z
    .int()
    .describe('Rises with each change of this payment. Events may arrive in any order: keep the one with the highest.'),
}).describe('The payment at the moment of the event, as `GET /v1/payments/{paymentId}` showed it then.')
export type PaymentEventData = z.infer<typeof PaymentEventData>

/** `data` of the events of connections. */
export const ConnectionEventData = z
  .object({
    id: z.string().describe('The connection.'),
    object: z.literal('connection'),
    agent_id: z.string().describe('The agent as which the app acts.'),
    app: z.string().describe('What the app calls itself.'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why it ended: `owner`, `app`, `reused` (a code was used twice), `connected_again`, `agent_deleted`, `group_deleted` or `account_restored`; null for other events.',
      ),
  })
  .describe('An app that acts as an agent.')
export type ConnectionEventData = z.infer<typeof ConnectionEventData>

/** `data` of the events of payout runs. */
export const RunEventData = z
  .object({
    id: z.string().describe('The run.'),
    object: z.literal('payout_run'),
    title: z.string(),
    status: z.enum(runStatuses),
    wallet_id: z.string(),
    rows: z.int().describe('Rows that are not left out.'),
    amount: z.string().describe('Their sum in decimal USDC.'),
    handed_over: z.int().describe('Rows that became payments; each payment has events of its own.'),
    failed: z.int().describe('Rows that were refused.'),
    released: z.int().describe('Rows that were not paid because the run was stopped.'),
    seq: z.int().describe('Rises with each event of this run.'),
  })
  .describe('A payout run at the moment of the event.')
export type RunEventData = z.infer<typeof RunEventData>

/** `data` of `webhook.test`. */
export const TestEventData = z
  .object({ id: z.string().describe('The webhook.'), object: z.literal('webhook'), message: z.string() })
  .describe('Nothing has happened.')
export type TestEventData = z.infer<typeof TestEventData>

export type WebhookFilter = WebhookEvent | '*'
/** Times are ISO 8601, UTC. */
export type Webhook = {
  id: string
  url: string
  events: WebhookFilter[]
  enabled: boolean
  /** Why Bursar switched it off, or null if it did not. */
  disabledReason: DisableReason | null
  createdAt: string
  /** Until when the previous secret also signs; null if it does not. */
  oldSecretUntil: string | null
}
/** The secret is shown only once. */
export type CreatedWebhook = Webhook & { secret: string }
export type RotatedSecret = { secret: string; oldSecretUntil: string }

/** One attempt. `status` is the HTTP status, or null if there was no response; `error` then says why. */
export type DeliveryAttempt = { at: string; status: number | null; error: string | null; ms: number }
export type Delivery = {
  /** Id of the event; also the header `webhook-id`. */
  id: string
  type: string
  createdAt: string
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  /** The newest 20, oldest first. */
  attemptList: DeliveryAttempt[]
  /** When it is retried; null if it is not. */
  nextAttemptAt: string | null
  /** Why an undelivered event is not retried; null otherwise. */
  problem: string | null
  /** The JSON that is sent. */
  body: string
}
export type DeliveryPage = { deliveries: Delivery[]; next: string | null }
