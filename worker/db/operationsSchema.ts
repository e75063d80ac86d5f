import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { deliveryStates } from '#domain/delivery.ts'
import { stopModes } from '#domain/serviceStop.ts'
import { troubleKinds } from '#domain/trouble.ts'

/** Tables of those who run a deployment: what operators did, what became of messages, what is wrong. Part of schema.ts. */

/** What operators did, newest last. Never changed. */
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
    /** JSON of what was asked for; holds no secret. */
    detail: text('detail').notNull(),
  },
  (t) => [index('operator_action_at_idx').on(t.at)],
)

/** Messages that a provider has accepted or refused for good, with what its reports say of them since. */
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

/** What is wrong inside an object, as it last reported. `detail`: null once it is over. */
export const objectTrouble = sqliteTable(
  'object_trouble',
  {
    kind: text('kind', { enum: troubleKinds }).notNull(),
    /** The wallet's id, the user's, or the object's name. */
    subject: text('subject').notNull(),
    userId: text('user_id'),
    /** A report with a lower one came late and does not count. */
    edition: integer('edition').notNull(),
    since: integer('since').notNull(),
    detail: text('detail'),
  },
  (t) => [primaryKey({ columns: [t.kind, t.subject] })],
)

/** Conditions that operators are alerted to. `announcedAt`: when the alert was sent; null: not yet. */
export const alert = sqliteTable('alert', {
  key: text('key').primaryKey(),
  text: text('text').notNull(),
  since: integer('since').notNull(),
  announcedAt: integer('announced_at'),
})

/** What operators have stopped for everybody: one row at most. */
export const serviceStop = sqliteTable('service_stop', {
  one: integer('one').primaryKey(),
  mode: text('mode', { enum: stopModes }).notNull(),
  since: integer('since').notNull(),
})

/** No row: webhooks are sent. */
export const webhookStop = sqliteTable('webhook_stop', {
  one: integer('one').primaryKey(),
  since: integer('since').notNull(),
})

/** Webhooks of all accounts, for counts alone: the Treasury has them. */
export const webhookEndpoint = sqliteTable(
  'webhook_endpoint',
  {
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    state: text('state', { enum: ['on', 'off', 'disabled'] }).notNull(),
    /** Rises with each change in the Treasury. */
    edition: integer('edition').notNull(),
    /** Of the attempts that all failed since; null: it works. */
    failingSince: integer('failing_since'),
  },
  (t) => [index('webhook_endpoint_state_idx').on(t.state), index('webhook_endpoint_failing_idx').on(t.failingSince)],
)

/** When WebhookSenders with events to deliver mean to go on (ms). The cron wakes those that are late. */
export const webhookWork = sqliteTable(
  'webhook_work',
  {
    userId: text('user_id').primaryKey(),
    dueAt: integer('due_at').notNull(),
    /** When the cron last woke it, so that it wakes them in turn. */
    pokedAt: integer('poked_at').notNull().default(0),
  },
  (t) => [index('webhook_work_due_idx').on(t.dueAt)],
)

/** Accounts that were ever suspended, for lists alone: the Treasury decides. `since` null: no longer. */
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

/** Versions of the keyrings as they were first seen, so that a wrong secret under a known version shows. */
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

/** What each account still has under older versions of the keyrings, as it was at `checkedAt`, or before if that look failed. */
export const keyUse = sqliteTable(
  'key_use',
  {
    userId: text('user_id').primaryKey(),
    checkedAt: integer('checked_at').notNull(),
    /** Values sealed under an older KEK. */
    unsealed: integer('unsealed').notNull(),
    /** When the last open payout under an older payout secret, or code pepper, expires. Null: there is none. */
    payoutUntil: integer('payout_until'),
    codeUntil: integer('code_until'),
    /** How many these are, and the ids of those that expire first. */
    payouts: integer('payouts').notNull().default(0),
    codes: integer('codes').notNull().default(0),
    payoutIds: text('payout_ids', { mode: 'json' }).$type<string[]>(),
    codeIds: text('code_ids', { mode: 'json' }).$type<string[]>(),
    /** The code of the error that the last look ended with (errors.ts), so that the rest is older. Null: it did not fail. */
    failure: text('failure'),
  },
  (t) => [index('key_use_checked_idx').on(t.checkedAt)],
)

/** Daily exports to the bucket, oldest first. `id`: when it began. `kekVersion`: of the KEK then. */
export const exportRun = sqliteTable('export_run', {
  id: text('id').primaryKey(),
  startedAt: integer('started_at').notNull(),
  finishedAt: integer('finished_at'),
  kekVersion: integer('kek_version').notNull(),
})

/** What is written of them. `lastRow`: where the next part goes on in this table; `isEnd`: this was the last of the table. */
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

/** Accounts whose Treasury is put back to an earlier time, which the object itself would forget. */
export const userRestore = sqliteTable('user_restore', {
  userId: text('user_id').primaryKey(),
  id: text('id').notNull(),
  startedAt: integer('started_at').notNull(),
  /** When the Treasury confirmed that it does nothing more; null: it did not. */
  frozenAt: integer('frozen_at'),
  /** Null: under way. */
  endedAt: integer('ended_at'),
})
export type UserRestoreRow = typeof userRestore.$inferSelect
