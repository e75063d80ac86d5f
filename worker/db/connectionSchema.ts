import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Tables for connecting apps by URL, before a person's Treasury knows of them. Part of schema.ts. */

/** Apps that registered themselves. Unused ones are deleted after a day. */
export const oauthClient = sqliteTable(
  'oauth_client',
  {
    id: text('id').primaryKey(),
    /** As it is shown; null if it has none that can be. */
    name: text('name'),
    redirectUris: text('redirect_uris', { mode: 'json' }).notNull().$type<string[]>(),
    createdAt: integer('created_at').notNull(),
    /** When a person first allowed it. */
    usedAt: integer('used_at'),
  },
  (t) => [index('oauth_client_unused_idx').on(t.createdAt).where(sql`${t.usedAt} IS NULL`)],
)
export type OAuthClientRow = typeof oauthClient.$inferSelect

/** Apps and devices that ask to be connected. */
export const connectionRequest = sqliteTable(
  'connection_request',
  {
    id: text('id').primaryKey(),
    clientId: text('client_id').notNull(),
    /** Null for a device. */
    redirectUri: text('redirect_uri'),
    state: text('state'),
    codeChallenge: text('code_challenge'),
    resource: text('resource').notNull(),
    /** Space-separated; null if the app named none. */
    scope: text('scope'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** The first person who opened it. */
    userId: text('user_id'),
    answer: text('answer', { enum: ['allowed', 'denied'] }),
    connectionId: text('connection_id'),
    /** Of a device: the hash of its code, the code that it shows, and where it asked from. */
    deviceHash: text('device_hash').unique(),
    userCode: text('user_code').unique(),
    addressHash: text('address_hash'),
    place: text('place'),
  },
  (t) => [
    index('connection_request_expiry_idx').on(t.expiresAt),
    index('connection_request_address_idx').on(t.addressHash).where(sql`${t.addressHash} IS NOT NULL`),
  ],
)
export type ConnectionRequestRow = typeof connectionRequest.$inferSelect
