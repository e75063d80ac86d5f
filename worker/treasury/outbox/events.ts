import type { ConnectionEvent, PaymentEvent, RunEvent, WebhookEvent } from '#domain/events.ts'
import type { PaymentStatus } from '#domain/payment.ts'
import { isoOf } from '#domain/time.ts'
import type {
  ConnectionEventData,
  PaymentEventData,
  RunEventData,
  TestEventData,
  WebhookFilter,
} from '#schemas/webhook.ts'
import { type Context, newId } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import { enqueue } from './enqueue.ts'

/** Enabled webhooks and their events. Null until read from the table. */
export const enabledWebhooks = inMemory((): { list: { id: string; events: WebhookFilter[] }[] | null } => ({
  list: null,
}))

/**
 * Stores the event of a change for webhooks, in the transaction of the change and after its row of the audit log. The
 * event has the payment's current state, so call this last. `previous` is the status before the change, null if the
 * payment is new. Costs nothing while no webhook asks for `type`.
 */
export function sendPaymentEvent(
  ctx: Context,
  type: PaymentEvent,
  paymentId: string,
  previous: PaymentStatus | null,
): void {
  const endpoints = receiversOf(ctx, type)
  if (endpoints.length === 0) return
  const payment = ctx.store.payment(paymentId)!
  const data: PaymentEventData = {
    ...ctx.paymentView(payment),
    agent_id: payment.agent_id,
    previous_status: previous,
    seq: lastAuditRow(ctx),
  }
  sendEvent(ctx, type, endpoints, data)
}

/** Stores the event of a connection for webhooks, in the transaction of the change. */
export function sendConnectionEvent(ctx: Context, type: ConnectionEvent, data: ConnectionEventData): void {
  const endpoints = receiversOf(ctx, type)
  if (endpoints.length > 0) sendEvent(ctx, type, endpoints, data)
}

/** Stores the event of a run for webhooks, in the transaction of the change. `read` is called if a webhook asks for it. */
export function sendRunEvent(ctx: Context, type: RunEvent, read: () => RunEventData): void {
  const endpoints = receiversOf(ctx, type)
  if (endpoints.length > 0) sendEvent(ctx, type, endpoints, { ...read(), seq: lastAuditRow(ctx) })
}

/** Stores one event for these webhooks. Returns its id, which is also the `webhook-id` header. */
export function sendEvent(
  ctx: Context,
  type: WebhookEvent,
  endpoints: string[],
  data: PaymentEventData | ConnectionEventData | RunEventData | TestEventData,
): string {
  const { store } = ctx
  const id = newId(ctx, 'evt')
  const at = ctx.now()
  const body = JSON.stringify({ type, timestamp: isoOf(at), data })
  store.insert('webhook_event', { id, type, at, body, endpoints: JSON.stringify(endpoints) })
  enqueue(ctx, 'event', id)
  return id
}

/** The change's number in the account's audit log. Later changes of a payment always have a higher one. */
const lastAuditRow = ({ store }: Context): number =>
  store.auditHead?.seq ?? store.first<{ seq: number }>('SELECT max(seq) AS seq FROM audit')!.seq

function receiversOf(ctx: Context, type: WebhookEvent): string[] {
  const webhooks = enabledWebhooks(ctx)
  webhooks.list ??= ctx.store
    .all<{ id: string; events: string }>('SELECT id, events FROM webhook WHERE enabled = 1')
    .map(({ id, events }) => ({ id, events: JSON.parse(events) as WebhookFilter[] }))
  return webhooks.list.filter(({ events }) => events.includes('*') || events.includes(type)).map(({ id }) => id)
}
