import { customType, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const caseInsensitiveText = customType<{ data: string }>({ dataType: () => 'text COLLATE NOCASE' })

/** Maps the hash of a claim link's token to its payout. `address` finds payouts that must not be paid by hand. */
export const claimLink = sqliteTable('claim_link', {
  tokenHash: text('token_hash').primaryKey(),
  userId: text('user_id').notNull(),
  payoutId: text('payout_id').notNull().unique(),
  address: caseInsensitiveText('address').notNull().unique(),
  createdAt: integer('created_at').notNull(),
})

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
