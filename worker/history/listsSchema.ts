import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The columns of the lists, for queries. tables.ts says what they mean. */

export const transactionView = sqliteTable('transaction_view', {
  id: text('id').notNull(),
  seq: integer('seq').notNull(),
  createdAt: integer('created_at').notNull(),
  status: text('status').notNull(),
  category: text('category').notNull(),
  amount: integer('amount').notNull(),
  change: integer('change').notNull(),
  walletId: text('wallet_id').notNull(),
  chain: text('chain').notNull(),
  agentId: text('agent_id'),
  groupId: text('group_id'),
  contactId: text('contact_id'),
  email: text('email'),
  phone: text('phone'),
  address: text('address'),
  recipient: text('recipient').notNull(),
  body: text('body').notNull(),
  recoverable: text('recoverable'),
})

export const payoutView = sqliteTable('payout_view', {
  id: text('id').notNull(),
  seq: integer('seq').notNull(),
  createdAt: integer('created_at').notNull(),
  status: text('status').notNull(),
  amount: integer('amount').notNull(),
  chain: text('chain').notNull(),
  expiresAt: integer('expires_at').notNull(),
  recipient: text('recipient').notNull(),
  body: text('body').notNull(),
  recoverable: text('recoverable'),
})
