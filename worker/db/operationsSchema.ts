import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { troubleKinds } from '#domain/alerts.ts'
import { deliveryStates } from '#domain/delivery.ts'
import { stopModes } from '#domain/serviceStop.ts'
import { restoreStates } from '#schemas/ops.ts'

/** Tables for operating a deployment: operator actions, message delivery, troubles and others. Part of schema.ts. */

/** Log of operator actions, newest last. Append-only. */
export const operatorAction = sqliteTable(
  'operator_action',
  {
    id: text('id').primaryKey(),
    at: integer('at').notNull(),
    /** Email address, or `service:` and the client id of a service token. */
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    subject: text('subject').notNull(),
    reason: text('reason').notNull(),
    /** The request as JSON, without secrets. */
    detail: text('detail').notNull(),
  },
  (t) => [index('operator_action_at_idx').on(t.at)],
)

/** Messages that a provider has accepted or permanently refused, with the latest state from its delivery reports. */
export const deliveredMessage = sqliteTable(
  'delivered_message',
  {
    id: text('id').primaryKey(),
    at: integer('at').notNull(),
    /** The payout that the message is about. */
    payoutId: text('payout_id'),
    channel: text('channel', { enum: ['email', 'sms'] }),
    state: text('state', { enum: deliveryStates }).notNull().default('accepted'),
    stateAt: integer('state_at').notNull().default(0),
  },
  (t) => [
    index('delivered_message_at_idx').on(t.at),
    index('delivered_message_payout_idx').on(t.payoutId, sql`${t.at} DESC`).where(sql`${t.payoutId} IS NOT NULL`),
  ],
)

/** Channels whose provider failed to take a message and has not taken one since. */
export const messageFailure = sqliteTable('message_failure', {
  channel: text('channel', { enum: ['email', 'sms'] }).primaryKey(),
  since: integer('since').notNull(),
  lastAt: integer('last_at').notNull(),
})

/** Troubles inside objects, as last reported. `detail` is null once the trouble has ended. */
export const objectTrouble = sqliteTable(
  'object_trouble',
  {
    kind: text('kind', { enum: troubleKinds }).notNull(),
    /** The wallet's id, the user's, or the object's name. */
    subject: text('subject').notNull(),
    userId: text('user_id'),
    /** A report with a lower edition arrived late and is ignored. */
    edition: integer('edition').notNull(),
    since: integer('since').notNull(),
    detail: text('detail'),
  },
  (t) => [primaryKey({ columns: [t.kind, t.subject] })],
)

/** Conditions that operators are alerted to. `announcedAt` is null until the alert is sent. */
export const alert = sqliteTable('alert', {
  key: text('key').primaryKey(),
  text: text('text').notNull(),
  since: integer('since').notNull(),
  announcedAt: integer('announced_at'),
})

/** The operators' record of their stop for all accounts: one row at most. Objects follow stops/serviceStops.ts. */
export const serviceStop = sqliteTable('service_stop', {
  one: integer('one').primaryKey(),
  mode: text('mode', { enum: stopModes }).notNull(),
  since: integer('since').notNull(),
  /** domain/stopState.ts */
  version: integer('version').notNull(),
})

/** The operators' stop of webhooks. Without a row, webhooks are sent. */
export const webhookStop = sqliteTable('webhook_stop', {
  one: integer('one').primaryKey(),
  since: integer('since').notNull(),
})

/** Webhooks of all accounts, only for counts. The Treasury is authoritative. */
export const webhookEndpoint = sqliteTable(
  'webhook_endpoint',
  {
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    state: text('state', { enum: ['on', 'off', 'disabled'] }).notNull(),
    /** Rises with each change in the Treasury. */
    edition: integer('edition').notNull(),
    /** Time since which all attempts have failed; null if it works. */
    failingSince: integer('failing_since'),
  },
  (t) => [index('webhook_endpoint_state_idx').on(t.state), index('webhook_endpoint_failing_idx').on(t.failingSince)],
)

/** Next due time (ms) of each WebhookSender that has events to deliver. The cron wakes those that are late. */
export const webhookWork = sqliteTable(
  'webhook_work',
  {
    userId: text('user_id').primaryKey(),
    dueAt: integer('due_at').notNull(),
    /** When the cron last woke it. It wakes them round-robin. */
    pokedAt: integer('poked_at').notNull().default(0),
  },
  (t) => [index('webhook_work_due_idx').on(t.dueAt)],
)

/** Accounts that were ever suspended, only for lists; the Treasury decides. `since` is null if no longer suspended. */
export const userSuspension = sqliteTable(
  'user_suspension',
  {
    userId: text('user_id').primaryKey(),
    since: integer('since'),
    /** Rises with each change in the Treasury. */
    version: integer('version').notNull(),
  },
  (t) => [index('user_suspension_since_idx').on(t.since).where(sql`${t.since} IS NOT NULL`)],
)

/** Fingerprints of keyring versions as first seen, which reveal a wrong secret under a known version. */
export const keyVersion = sqliteTable(
  'key_version',
  {
    name: text('name').notNull(),
    version: integer('version').notNull(),
    fingerprint: text('fingerprint').notNull(),
    firstSeen: integer('first_seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.name, t.version] })],
)

/** Each account's remaining use of older keyring versions, as of `checkedAt`, or earlier if that check failed. */
export const keyUse = sqliteTable(
  'key_use',
  {
    userId: text('user_id').primaryKey(),
    checkedAt: integer('checked_at').notNull(),
    /** Values sealed under an older KEK. */
    unsealed: integer('unsealed').notNull(),
    /** When the last open payout under an older payout secret, or code pepper, expires; null if there is none. */
    payoutUntil: integer('payout_until'),
    codeUntil: integer('code_until'),
    /** Their number, and the ids of those that expire first. */
    payouts: integer('payouts').notNull().default(0),
    codes: integer('codes').notNull().default(0),
    /** API keys and client secrets that were made under an older secret of ids. */
    credentials: integer('credentials').notNull().default(0),
    payoutIds: text('payout_ids', { mode: 'json' }).$type<string[]>(),
    codeIds: text('code_ids', { mode: 'json' }).$type<string[]>(),
    /** Error code of the last check (errors.ts), in which case the other columns are older. Null if it succeeded. */
    failure: text('failure'),
  },
  (t) => [index('key_use_checked_idx').on(t.checkedAt)],
)

/** Daily exports to the bucket. `id` is the start time; `kekVersion` is the version of the KEK at that time. */
export const exportRun = sqliteTable('export_run', {
  id: text('id').primaryKey(),
  startedAt: integer('started_at').notNull(),
  finishedAt: integer('finished_at'),
  kekVersion: integer('kek_version').notNull(),
})

/** Written parts of exports. The next part of the table starts after `lastRow`. `isEnd` marks the table's last part. */
export const exportPart = sqliteTable(
  'export_part',
  {
    runId: text('run_id')
      .notNull()
      .references(() => exportRun.id, { onDelete: 'cascade' }),
    part: integer('part').notNull(),
    key: text('key').notNull(),
    sha256: text('sha256').notNull(),
    tableName: text('table_name').notNull(),
    lastRow: integer('last_row').notNull(),
    isEnd: integer('is_end', { mode: 'boolean' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.part] })],
)

/** Accounts that are being restored. Kept here because the Treasury would forget it when it is rolled back. */
export const userRestore = sqliteTable('user_restore', {
  userId: text('user_id').primaryKey(),
  id: text('id').notNull(),
  state: text('state', { enum: restoreStates }).notNull(),
  /** How far the state has come (worker/treasury/account/restore/rpcTypes.ts), as JSON. */
  progress: text('progress'),
  /** Rises with each change, so that of two callers only one continues. */
  step: integer('step').notNull(),
  startedAt: integer('started_at').notNull(),
  /** When the Treasury confirmed that it is frozen; null if it has not. */
  frozenAt: integer('frozen_at'),
  /** History's position when it had everything of the frozen object; null if it has not confirmed that. */
  confirmed: text('confirmed'),
  /** The operator has said that the object is lost. */
  isLost: integer('is_lost', { mode: 'boolean' }).notNull(),
  /** Null while in progress. */
  endedAt: integer('ended_at'),
  /** Rises when it starts and when it ends (domain/stopState.ts). */
  version: integer('version').notNull(),
})
export type UserRestoreRow = typeof userRestore.$inferSelect

/** Treasuries with work in progress. The cron watchdog wakes those that have not reported for a while. */
export const busyTreasury = sqliteTable(
  'busy_treasury',
  {
    userId: text('user_id').primaryKey(),
    since: integer('since').notNull(),
    /** When the watchdog last woke it. It wakes them round-robin. */
    pokedAt: integer('poked_at').notNull().default(0),
  },
  (t) => [index('busy_treasury_since').on(t.since)],
)
