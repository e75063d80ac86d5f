import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Tables of migrations/0001_accounts.sql, 0003_account_codes.sql and 0004_contact_undo.sql; constraints live there. Times are epoch milliseconds, hashes SHA-256 hex. */

export const userStatuses = ['UNCONFIRMED', 'CONFIRMED', 'FORCE_CHANGE_PASSWORD'] as const

export const user = sqliteTable('user', {
  id: text('id').primaryKey(),
  /** Trimmed and lower case. */
  email: text('email').notNull().unique(),
  name: text('name'),
  status: text('status', { enum: userStatuses }).notNull(),
  passwordHash: text('password_hash').notNull(),
  /** When the temporary password was made; null once the user chose one. */
  temporarySince: integer('temporary_since'),
  publicAddress: text('public_address'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})
export type UserRow = typeof user.$inferSelect

/** One sign-in: the family its refresh tokens belong to. */
export const session = sqliteTable(
  'session',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    revokedAt: integer('revoked_at'),
    revokedReason: text('revoked_reason', { enum: ['reuse', 'password_changed'] }),
  },
  (t) => [index('session_user_idx').on(t.userId)],
)

export const refreshToken = sqliteTable('refresh_token', {
  hash: text('hash').primaryKey(),
  sessionId: text('session_id')
    .notNull()
    .references(() => session.id),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  replacedAt: integer('replaced_at'),
})

export const loginChallenge = sqliteTable('login_challenge', {
  hash: text('hash').primaryKey(),
  userId: text('user_id')
    .notNull()
    .references(() => user.id),
  expiresAt: integer('expires_at').notNull(),
})

export const codePurposes = ['confirm', 'reset'] as const
export type CodePurpose = (typeof codePurposes)[number]

export const accountCode = sqliteTable(
  'account_code',
  {
    userId: text('user_id')
      .notNull()
      .references(() => user.id),
    purpose: text('purpose', { enum: codePurposes }).notNull(),
    hash: text('hash').notNull(),
    tries: integer('tries').notNull().default(0),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.purpose] })],
)

export const addressNonce = sqliteTable('address_nonce', {
  userId: text('user_id')
    .primaryKey()
    .references(() => user.id),
  nonce: text('nonce').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

export const signupPasscode = sqliteTable('signup_passcode', {
  hash: text('hash').primaryKey(),
  label: text('label').notNull(),
  maxUses: integer('max_uses'),
  used: integer('used').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
})

export const attempt = sqliteTable('attempt', {
  key: text('key').primaryKey(),
  count: integer('count').notNull(),
  resetsAt: integer('resets_at').notNull(),
})

export const agentCredential = sqliteTable('agent_credential', {
  hash: text('hash').primaryKey(),
  kind: text('kind', { enum: ['secret', 'api_key'] }).notNull(),
  userId: text('user_id')
    .notNull()
    .references(() => user.id),
  agentId: text('agent_id').notNull(),
  clientId: text('client_id').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
})

export const contact = sqliteTable(
  'contact',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id),
    name: text('name').notNull(),
    address: text('address'),
    email: text('email'),
    phone: text('phone'),
    description: text('description'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** Gone for everybody, kept a while for the undo. */
    deletedAt: integer('deleted_at'),
  },
  (t) => [index('contact_user_idx').on(t.userId, t.createdAt)],
)
export type ContactRow = typeof contact.$inferSelect

export const deliveredMessage = sqliteTable('delivered_message', {
  id: text('id').primaryKey(),
  at: integer('at').notNull(),
})

export const devInbox = sqliteTable('dev_inbox', {
  id: text('id').primaryKey(),
  recipient: text('recipient').notNull(),
  channel: text('channel', { enum: ['email', 'sms'] }).notNull(),
  subject: text('subject').notNull(),
  text: text('text').notNull(),
  at: integer('at').notNull(),
})
