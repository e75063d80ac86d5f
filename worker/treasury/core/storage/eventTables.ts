import { vias } from '#domain/actor.ts'
import { changeKindNames, madeEvents, type NoticeEvent, type WebhookEvent } from '#domain/events.ts'
import type { DisableReason } from '#domain/webhookRules.ts'
import { integer, maybeInteger, maybeOneOf, maybeText, type RowOf, table, text } from '../../../durable/table.ts'

/** As in the index. */
export const isMade = `event IN (${madeEvents.map((name) => `'${name}'`).join(', ')})`

/** The audit log. Append-only: a table without changes, to which each row adds a hash of those before it. */
export const audit = table(
  'audit',
  {
    seq: integer('PRIMARY KEY'),
    at: integer(),
    event: text(),
    ref: text(),
    data: text(),
    /** Who acted, and through what (domain/actor.ts). */
    by: text(),
    via: maybeOneOf(vias),
    /** Where the owner's history of changes shows it (domain/events.ts); null if it does not. */
    shown: maybeOneOf(changeKindNames),
    previous: text(),
    hash: text(),
  },
  {
    indexes: `
      CREATE INDEX audit_change ON audit (seq) WHERE shown IS NOT NULL;
      CREATE INDEX audit_change_at ON audit (at, seq) WHERE shown IS NOT NULL;
      CREATE INDEX audit_change_kind ON audit (shown, at, seq) WHERE shown IS NOT NULL;
      CREATE INDEX audit_change_by ON audit (by, shown, at, seq) WHERE shown IS NOT NULL;
      -- What was added and may still act, and what was last done to a webhook.
      CREATE INDEX audit_made ON audit (at, seq) WHERE ${isMade};
      CREATE INDEX audit_webhook ON audit (ref, seq) WHERE event IN ('webhook.changed', 'webhook.secret_rotated');
      CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
      CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
      -- A budget's history reads only the events that set its limit.
      CREATE INDEX audit_budget ON audit (ref, at, seq) WHERE event IN ('group.created', 'group.changed', 'group.topped_up');`,
  },
)
export type AuditRow = RowOf<typeof audit>

/** Notices of the bell. */
const notice = table(
  'notice',
  {
    /** The event's row in the audit log. */
    seq: integer('PRIMARY KEY'),
    at: integer(),
    event: text<NoticeEvent>(),
    ref: text(),
    /** Repeats about the same thing are one notice until it is read. */
    about: text(),
    /** How often `about` has been repeated. */
    times: integer(),
  },
  { indexes: 'CREATE INDEX notice_about ON notice (event, about);' },
)
export type NoticeRow = RowOf<typeof notice>

const webhook = table('webhook', {
  id: text('PRIMARY KEY'),
  url: text(),
  /** JSON: a list of names, or of `*`. */
  events: text(),
  enabled: integer(),
  disabled_reason: maybeText<DisableReason>(),
  /** Rises when the webhook's failures are cleared. */
  version: integer(),
  sealed_secret: text(),
  sealed_old_secret: maybeText(),
  old_secret_until: maybeInteger(),
  created_at: integer(),
})
export type WebhookRow = RowOf<typeof webhook>

/** Events on their way to the WebhookSender, as they were when they happened. */
const webhookEvent = table('webhook_event', {
  id: text('PRIMARY KEY'),
  type: text<WebhookEvent>(),
  at: integer(),
  /** JSON. */
  body: text(),
  /** JSON list of webhook ids. */
  endpoints: text(),
})

export const eventTables = [audit, notice, webhook, webhookEvent] as const
