import {
  events,
  isConnectionEvent,
  isRunEvent,
  type PaymentEvent,
  type RunEvent,
  type WebhookEvent,
  webhookEvents,
} from '#domain/events.ts'
import { eachNote, paymentNotes } from '#domain/paymentNotes.ts'
import type { ConnectionEventData, PaymentEventData, RunEventData, TestEventData } from '#schemas/webhook.ts'
import { exampleIds } from './codeSamples.ts'
import { type Json, ref } from './components.ts'

/** The `webhooks` of the OpenAPI document: the requests that webhook receivers get. */

export type WebhookOperation = Json & {
  operationId: string
  summary: string
  requestBody: {
    required: true
    content: {
      'application/json': {
        schema: Json
        example: { data: PaymentEventData | ConnectionEventData | RunEventData | TestEventData }
      }
    }
  }
}

export const webhooksTag = {
  name: 'Webhooks',
  description:
    'Owners add addresses in the dashboard, which receive these events as POST requests signed as in Standard Webhooks. Respond with any 2xx status within 15 seconds; otherwise the event is retried for three days. An event may arrive more than once, with the same `webhook-id`, and in any order: of two events about one payment, the one with the higher `seq` is newer.',
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const headers = [
  header('webhook-id', 'Id of the event. The same on every attempt.'),
  header('webhook-timestamp', 'Unix seconds of this attempt. Reject requests older than five minutes.'),
  header(
    'webhook-signature',
    'One or more `v1,` and base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body`, separated by spaces. During a rotation there are two.',
  ),
]

export function webhooks(origin: string): Record<string, { post: WebhookOperation }> {
  return Object.fromEntries(webhookEvents.map((name) => [name, { post: operation(name, origin) }]))
}

function operation(name: WebhookEvent, origin: string): WebhookOperation {
  const data =
    name === 'webhook.test'
      ? 'TestEventData'
      : isConnectionEvent(name)
        ? 'ConnectionEventData'
        : isRunEvent(name)
          ? 'RunEventData'
          : 'PaymentEventData'
  return {
    operationId: `on${name.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [webhooksTag.name],
    summary: name,
    description: events[name].text,
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              type: { const: name },
              timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
              data: ref(data),
            },
            required: ['type', 'timestamp', 'data'],
          },
          example: example(name, origin),
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. The body is not read.' },
      '410': { description: 'No further events are wanted: the webhook is switched off.' },
      default: { description: 'Any other response, including redirects: the event is retried.' },
    },
  }
}

const timestamp = '2026-11-20T12:00:02.000Z'

function example(type: WebhookEvent, origin: string) {
  return { type, timestamp, data: exampleOf(type, origin) }
}

function exampleOf(
  type: WebhookEvent,
  origin: string,
): PaymentEventData | ConnectionEventData | RunEventData | TestEventData {
  if (type === 'webhook.test')
    return { id: 'whk_1', object: 'webhook', message: 'This is a test. Nothing has happened.' }
  if (isRunEvent(type)) return runExample(type)
  if (!isConnectionEvent(type)) return paymentExample(type, origin)
  const reason = type === 'connection.revoked' ? 'owner' : null
  return { id: 'con_0mws9c1f4k2b7', object: 'connection', agent_id: 'agt_0mws91xw3v', app: 'Claude', reason }
}

const runExample = (type: RunEvent): RunEventData => ({
  ...{ id: 'run_0mws9c1f4k2b7', object: 'payout_run', title: 'November', wallet_id: 'wal_0mws90b2c1' },
  status: type === 'run.waiting' ? 'WAITING' : 'DONE',
  ...{ rows: 80, amount: '410', handed_over: type === 'run.waiting' ? 0 : 79, failed: type === 'run.waiting' ? 0 : 1 },
  ...{ released: 0, seq: 42 },
})

type Statuses = Pick<PaymentEventData, 'previous_status' | 'status'>
const change = (previous_status: Statuses['previous_status'], status: Statuses['status']): Statuses => ({
  previous_status,
  status,
})

const statusesOf: Record<PaymentEvent, Statuses> = {
  'payment.accepted': change(null, 'PROCESSING'),
  'payment.refused': change(null, 'POLICY_REJECTED'),
  'payment.signed': change('QUEUED', 'PROCESSING'),
  'payment.confirmed': change('PROCESSING', 'CONFIRMED'),
  'payment.funded': change('PROCESSING', 'PENDING'),
  'payment.failed': change('PROCESSING', 'FAILED'),
  'payment.cancelled': change('QUEUED', 'CANCELLED'),
  'payment.undone': change('CONFIRMED', 'PROCESSING'),
  'payout.ready': change('PENDING', 'PENDING'),
  'payout.claim_started': change('PENDING', 'PENDING'),
  'payout.reclaim_started': change('PENDING', 'PENDING'),
  'payout.withdrawn': change('PENDING', 'CONFIRMED'),
  'payout.reclaimed': change('PENDING', 'CANCELLED'),
  // Examples of approvals have the status of a payment that waits and of one that was decided.
  'approval.requested': change(null, 'PENDING_APPROVAL'),
  'approval.approved': change('PENDING_APPROVAL', 'PROCESSING'),
  'approval.denied': change('PENDING_APPROVAL', 'POLICY_REJECTED'),
  'approval.expired': change('PENDING_APPROVAL', 'POLICY_REJECTED'),
  'approval.cancelled': change('PENDING_APPROVAL', 'CANCELLED'),
}

const errors: { [Status in PaymentEventData['status']]?: PaymentEventData['error'] } = {
  POLICY_REJECTED: { code: 'budget_exceeded', message: 'The budget has 4.2 USDC left.' },
  FAILED: {
    code: 'not_executed',
    message: 'Not sent: the payment did not reach the chain in time. The amount is available again.',
  },
  CANCELLED: { code: 'cancelled', message: 'Cancelled before it was sent. The amount is available again.' },
}

const notApproved: { [Type in WebhookEvent]?: PaymentEventData['error'] } = {
  'approval.denied': { code: 'approval_denied', message: 'The owner denied this payment.' },
  'approval.expired': { code: 'approval_expired', message: 'The owner did not answer in time.' },
  'approval.cancelled': {
    code: 'approval_cancelled',
    message: 'Cancelled before it was approved. The agent cancelled it.',
  },
}

const endings: { [Type in WebhookEvent]?: NonNullable<PaymentEventData['approval']>['status'] } = {
  'approval.approved': 'APPROVED',
  'approval.denied': 'DENIED',
  'approval.expired': 'EXPIRED',
  'approval.cancelled': 'CANCELLED',
}
const approvalExample = (type: WebhookEvent, origin: string): PaymentEventData['approval'] => ({
  id: 'apr_0mws9c1f4k2b7',
  status: endings[type] ?? 'PENDING',
  requested_at: '2026-11-20T12:00:00.000Z',
  decided_at: endings[type] ? timestamp : null,
  expires_at: '2026-11-21T12:00:00.000Z',
  url: `${origin}/dashboard/approvals/apr_0mws9c1f4k2b7`,
})

function paymentExample(type: PaymentEvent, origin: string): PaymentEventData {
  const statuses = statusesOf[type]
  const isPayout = type.startsWith('payout.') || type === 'payment.funded'
  const isAccepted =
    type === 'approval.approved' || !(statuses.status === 'POLICY_REJECTED' || type.startsWith('approval.'))
  const isOnChain = ['CONFIRMED', 'PENDING'].includes(statuses.status) || isPayout
  return {
    id: exampleIds.payment,
    object: 'payment',
    ...statuses,
    amount: '12.5',
    to: isPayout
      ? { type: 'email', email: 'ada@example.com' }
      : { type: 'address', address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' },
    ...eachNote((name) => paymentNotes[name].example),
    tx_hash: isOnChain && !type.startsWith('approval.') ? `0x${'1f'.repeat(32)}` : null,
    error: isPayout ? null : (notApproved[type] ?? errors[statuses.status] ?? null),
    created_at: '2026-11-20T12:00:00.000Z',
    accepted_at: isAccepted ? '2026-11-20T12:00:00.000Z' : null,
    signed_at: isAccepted && !type.startsWith('approval.') ? '2026-11-20T12:00:00.000Z' : null,
    confirmed_at: isOnChain && !type.startsWith('approval.') ? timestamp : null,
    approval: type.startsWith('approval.') ? approvalExample(type, origin) : null,
    receipt: null,
    budget: { limit: '100', spent: '20', held: '12.5', remaining: '67.5' },
    agent_id: 'agt_0mws91xw3v',
    seq: 42,
  }
}
