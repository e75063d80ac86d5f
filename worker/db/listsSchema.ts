import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** These fields of a row's JSON in lower case, one per line. */
const lines = (...paths: string[]) =>
  sql.raw(`lower(${paths.map((path) => `coalesce(body->>'${path}', '')`).join(' || char(10) || ')})`)

/**
 * The read model: rows of the lists, written by the Treasuries' outboxes. `body` is the JSON that the API returns. The
 * row with the highest `seq` wins. It can be rebuilt, and no decision about money reads it. `kept` is the data that a
 * Treasury is restored from (treasury/backup/kept.ts); it is never shown. `recipient` has the parts of the body that a filter
 * by recipient searches, in lower case and in lines, because reading them from the JSON of 10,000 rows takes four times as long.
 */
export const transactionView = sqliteTable(
  'transaction_view',
  {
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    seq: integer('seq').notNull(),
    createdAt: integer('created_at').notNull(),
    status: text('status').notNull(),
    category: text('category').notNull(),
    amount: integer('amount').notNull(),
    walletId: text('wallet_id').notNull(),
    chain: text('chain').notNull(),
    agentId: text('agent_id'),
    contactId: text('contact_id'),
    escrowId: text('escrow_id'),
    recipient: text('recipient').generatedAlwaysAs(
      lines('$.recipientEmail', '$.recipientPhone', '$.toAddress', '$.contact.name'),
      { mode: 'stored' },
    ),
    body: text('body').notNull(),
    kept: text('kept'),
  },
  (t) => [
    index('transaction_view_user').on(t.userId, sql`${t.createdAt} DESC`, sql`${t.id} DESC`),
    index('transaction_view_user_amount').on(t.userId, sql`${t.amount} DESC`, sql`${t.id} DESC`),
    index('transaction_view_refused_idx').on(t.createdAt).where(sql`${t.status} = 'POLICY_REJECTED'`),
  ],
)

export const payoutView = sqliteTable(
  'payout_view',
  {
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    seq: integer('seq').notNull(),
    createdAt: integer('created_at').notNull(),
    status: text('status').notNull(),
    amount: integer('amount').notNull(),
    walletId: text('wallet_id').notNull(),
    recipient: text('recipient').generatedAlwaysAs(lines('$.recipientEmail', '$.recipientPhone'), { mode: 'stored' }),
    body: text('body').notNull(),
    kept: text('kept'),
  },
  (t) => [
    index('payout_view_user').on(t.userId, sql`${t.createdAt} DESC`, sql`${t.id} DESC`),
    index('payout_view_user_amount').on(t.userId, sql`${t.amount} DESC`, sql`${t.id} DESC`),
  ],
)

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

/** Named values of an account, kept for restoring its Treasury. The row with the highest `seq` wins. */
export const keptValue = sqliteTable(
  'kept_value',
  {
    userId: text('user_id').notNull(),
    name: text('name').notNull(),
    seq: integer('seq').notNull(),
    value: text('value').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.name] })],
)
