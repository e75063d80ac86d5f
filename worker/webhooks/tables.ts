import type { DisableReason } from '#domain/webhookRules.ts'
import { timer } from '../durable/alarms.ts'
import { integer, maybeInteger, maybeText, oneOf, type RowOf, rowid, table, text } from '../durable/table.ts'

/** The tables of a WebhookSender. Times are in ms. */

export const event = table(
  'event',
  {
    id: text('PRIMARY KEY'),
    type: text(),
    at: integer(),
    /** The JSON that is sent. */
    body: text(),
  },
  { isWithoutRowid: true },
)
export type EventRow = RowOf<typeof event>

export const delivery = table(
  'delivery',
  {
    seq: rowid('AUTOINCREMENT'),
    event_id: text(),
    endpoint_id: text(),
    status: oneOf(['waiting', 'delivered', 'failed']),
    attempts: integer('DEFAULT 0'),
    /** When its three days of attempts began. */
    since: integer(),
    /** The next attempt; null if there is none. */
    due_at: maybeInteger(),
    ended_at: maybeInteger(),
    /** JSON of the newest attempts. */
    log: text("DEFAULT '[]'"),
    problem: maybeText(),
  },
  {
    constraints: 'UNIQUE (event_id, endpoint_id)',
    indexes: `
      CREATE INDEX delivery_due ON delivery (endpoint_id, due_at) WHERE status = 'waiting';
      CREATE INDEX delivery_page ON delivery (endpoint_id, seq);
      CREATE INDEX delivery_ended ON delivery (ended_at) WHERE ended_at IS NOT NULL;`,
  },
)
export type DeliveryRow = RowOf<typeof delivery>

export const endpoint = table(
  'endpoint',
  {
    id: text('PRIMARY KEY'),
    /** The target's, so that switching it on again clears its failures. */
    version: integer(),
    /** In a row. */
    failures: integer('DEFAULT 0'),
    /** The first of them. */
    failing_since: maybeInteger(),
    /** No attempt before this. */
    next_at: integer('DEFAULT 0'),
    /** The reason that is still to be reported to the Treasury. */
    disable: maybeText<DisableReason>(),
  },
  { isWithoutRowid: true },
)
export type EndpointRow = RowOf<typeof endpoint>

export const webhookSenderTables = [timer, event, delivery, endpoint]
