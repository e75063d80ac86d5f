import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { regions } from '#domain/region.ts'

export * from './connectionSchema.ts'
export * from './operationsSchema.ts'

/**
 * The whole schema of D1, as the migrations leave it; `npm run check` compares the two. CHECK constraints are in the
 * migrations only. Times are epoch milliseconds, hashes SHA-256 or HMAC-SHA-256 in hex, amounts micro-USDC.
 */

export const userStatuses = ['UNCONFIRMED', 'CONFIRMED', 'FORCE_CHANGE_PASSWORD'] as const

export const user = sqliteTable(
  'user',
  {
    id: text('id').primaryKey(),
    /** Trimmed and lower case. */
    email: text('email').notNull().unique(),
    name: text('name'),
    status: text('status', { enum: userStatuses }).notNull(),
    /** `none` (identity/passwords.ts) if the account has no password. */
    passwordHash: text('password_hash').notNull(),
    /** When the temporary password was made. Null once the user has chosen one. */
    temporarySince: integer('temporary_since'),
    publicAddress: text('public_address'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** When the password was chosen; 0 if the user has not chosen one. */
    passwordAt: integer('password_at').notNull().default(0),
    /** Where the user's objects are created. Null if the place of the first sign-in is not known yet. */
    region: text('region', { enum: regions }),
  },
  (t) => [index('user_unconfirmed_idx').on(t.updatedAt).where(sql`${t.status} = 'UNCONFIRMED'`)],
)
export type UserRow = typeof user.$inferSelect

/** Accounts whose latest state is not in Treasury and bucket yet. Written by triggers; each change raises `version`. */
export const accountToKeep = sqliteTable('account_to_keep', {
  userId: text('user_id').primaryKey(),
  version: integer('version').notNull(),
})

const userId = () =>
  text('user_id')
    .notNull()
    .references(() => user.id, { onDelete: 'cascade' })

/** One sign-in. All refresh tokens that descend from it belong to it. */
export const loginSession = sqliteTable(
  'session',
  {
    id: text('id').primaryKey(),
    userId: userId(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    revokedAt: integer('revoked_at'),
    revokedReason: text('revoked_reason', { enum: ['reuse', 'password_changed'] }),
    /** The app's request for which the person signed in. */
    connectionRequestId: text('connection_request_id'),
  },
  (t) => [index('session_user_idx').on(t.userId), index('session_expiry_idx').on(t.expiresAt)],
)

export const refreshToken = sqliteTable(
  'refresh_token',
  {
    hash: text('hash').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => loginSession.id, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** When the token was first exchanged. */
    replacedAt: integer('replaced_at'),
    /** How often the token was exchanged; the maximum if its sibling was exchanged first. */
    successors: integer('successors').notNull().default(0),
    /** The token that was exchanged for this one. Null for the first of a session. */
    parentHash: text('parent_hash'),
  },
  (t) => [
    index('refresh_token_session_idx').on(t.sessionId),
    index('refresh_token_replaced_idx').on(t.replacedAt).where(sql`${t.replacedAt} IS NOT NULL`),
  ],
)

export const loginChallenge = sqliteTable(
  'login_challenge',
  { hash: text('hash').primaryKey(), userId: userId(), expiresAt: integer('expires_at').notNull() },
  (t) => [index('login_challenge_user_idx').on(t.userId), index('login_challenge_expiry_idx').on(t.expiresAt)],
)

export const codePurposes = ['confirm', 'reset'] as const
export type CodePurpose = (typeof codePurposes)[number]

/**
 * Which accounts of others a person acts for. Only an address book: a lost row is written again by the account's Treasury, which
 * decides on each call, and a row too many opens nothing.
 */
export const membership = sqliteTable(
  'membership',
  {
    /** Without a reference: the account may be rebuilt before the person is. */
    personId: text('person_id').notNull(),
    accountId: text('account_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.personId, t.accountId] }), index('membership_account_idx').on(t.accountId)],
)

export const accountCode = sqliteTable(
  'account_code',
  {
    userId: userId(),
    purpose: text('purpose', { enum: codePurposes }).notNull(),
    hash: text('hash').notNull(),
    tries: integer('tries').notNull().default(0),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.purpose] }), index('account_code_expiry_idx').on(t.expiresAt)],
)

/** A link in a reset or confirmation mail, by the hash of its token. */
export const accountLink = sqliteTable(
  'account_link',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: userId(),
    purpose: text('purpose', { enum: codePurposes }).notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('account_link_user_idx').on(t.userId), index('account_link_expiry_idx').on(t.expiresAt)],
)

/** A sign-up with a password that awaits the proof of its email address, by the hash of its browser's token. */
export const signup = sqliteTable(
  'signup',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: userId(),
    name: text('name'),
    /** With Cognito: a marker if the user pool has this sign-up's password, otherwise null. */
    passwordHash: text('password_hash'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('signup_user_idx').on(t.userId, t.createdAt), index('signup_created_idx').on(t.createdAt)],
)
export type SignupRow = typeof signup.$inferSelect

export const addressNonce = sqliteTable(
  'address_nonce',
  {
    userId: text('user_id')
      .primaryKey()
      .references(() => user.id, { onDelete: 'cascade' }),
    nonce: text('nonce').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('address_nonce_expiry_idx').on(t.expiresAt)],
)

export const signupPasscode = sqliteTable('signup_passcode', {
  hash: text('hash').primaryKey(),
  label: text('label').notNull(),
  /** Null if unlimited. */
  maxUses: integer('max_uses'),
  used: integer('used').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
  /** Version of the code pepper. */
  pepperVersion: integer('pepper_version').notNull().default(1),
})

export const attempt = sqliteTable(
  'attempt',
  {
    key: text('key').primaryKey(),
    count: integer('count').notNull(),
    resetsAt: integer('resets_at').notNull(),
  },
  (t) => [index('attempt_reset_idx').on(t.resetsAt)],
)

export const contact = sqliteTable(
  'contact',
  {
    id: text('id').primaryKey(),
    userId: userId(),
    name: text('name').notNull(),
    address: text('address'),
    email: text('email'),
    phone: text('phone'),
    description: text('description'),
    /** Name, methods and description in lower case. SQLite itself knows only the case of ASCII letters. */
    searchText: text('search_text').notNull(),
    /** The name of who changed it last, if that was not the owner. */
    changedBy: text('changed_by'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** Deleted contacts are kept for a while so that deletion can be undone. */
    deletedAt: integer('deleted_at'),
  },
  (t) => [
    index('contact_user_idx').on(t.userId, t.deletedAt, sql`${t.createdAt} DESC`, sql`${t.id} DESC`),
    ...(['address', 'email', 'phone'] as const).map((method) =>
      index(`contact_${method}_idx`)
        .on(t.userId, sql`${t[method]} COLLATE NOCASE`)
        .where(sql`${t.deletedAt} IS NULL AND ${t[method]} IS NOT NULL`),
    ),
    index('contact_deleted_idx').on(t.deletedAt).where(sql`${t.deletedAt} IS NOT NULL`),
  ],
)

/** A user's dashboard layout, as JSON. */
export const preferences = sqliteTable('preferences', {
  userId: text('user_id')
    .primaryKey()
    .references(() => user.id, { onDelete: 'cascade' }),
  body: text('body').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** Browsers subscribed to push messages. `sessionId` is the login session that last used the subscription. */
export const pushSubscription = sqliteTable(
  'push_subscription',
  {
    id: text('id').primaryKey(),
    userId: userId(),
    sessionId: text('session_id').notNull(),
    endpoint: text('endpoint').notNull(),
    p256dh: text('p256dh').notNull(),
    auth: text('auth').notNull(),
    createdAt: integer('created_at').notNull(),
    seenAt: integer('seen_at').notNull(),
  },
  (t) => [index('push_subscription_user_idx').on(t.userId, sql`${t.seenAt} DESC`)],
)
export type PushSubscriptionRow = typeof pushSubscription.$inferSelect

/** Local stacks and tests: messages that were stored instead of sent. */
export const devInbox = sqliteTable(
  'dev_inbox',
  {
    id: text('id').primaryKey(),
    recipient: text('recipient').notNull(),
    channel: text('channel', { enum: ['email', 'sms'] }).notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    at: integer('at').notNull(),
  },
  (t) => [index('dev_inbox_recipient_idx').on(t.recipient, t.at)],
)
