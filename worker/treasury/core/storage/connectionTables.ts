import { integer, maybeInteger, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'

/** Apps that the owner allowed to act as an agent (treasury/account/connections/). Ended ones are kept so that the app is offered its agent again. */
const connection = table(
  'connection',
  {
    id: text('PRIMARY KEY'),
    /** The consent's. */
    request_id: text('UNIQUE'),
    /** allowed: the app has not exchanged its code yet, which it may until `expires_at`. */
    status: oneOf(['allowed', 'active', 'ended']),
    client_id: text(),
    /** domain/redirectUri.ts; '' for a device. */
    redirect_key: text(),
    /** JSON of what views show. */
    app: text(),
    /** JSON of what was allowed. */
    consent: text(),
    code_hash: maybeText(),
    expires_at: integer(),
    agent_id: maybeText(),
    /** Of the row in credential for which its access tokens are issued. */
    credential_hash: maybeText('UNIQUE'),
    created_at: integer(),
    used_at: maybeInteger(),
    ended_at: maybeInteger(),
    /** How often spent refresh tokens were used in the 24 hours from `reuses_since` on. */
    reuses: integer('DEFAULT 0'),
    reuses_since: maybeInteger(),
  },
  {
    indexes: `
      CREATE INDEX connection_status ON connection (status, created_at, id);
      CREATE INDEX connection_client ON connection (client_id, redirect_key, created_at);
      CREATE INDEX connection_agent ON connection (agent_id) WHERE status = 'active';`,
  },
)
export type ConnectionRow = RowOf<typeof connection>

/** A connection's refresh tokens: the newest, and those that were exchanged in the last 24 hours. */
const refreshToken = table(
  'refresh_token',
  {
    hash: text('PRIMARY KEY'),
    connection_id: text('REFERENCES connection(id)'),
    created_at: integer(),
    expires_at: integer(),
    /** When it was exchanged. */
    replaced_at: maybeInteger(),
    /** Random text from which, with the token itself, its successor was derived. */
    seed: maybeText(),
  },
  {
    isWithoutRowid: true,
    indexes: 'CREATE INDEX refresh_token_connection ON refresh_token (connection_id, replaced_at);',
  },
)
export type RefreshTokenRow = RowOf<typeof refreshToken>

/** Assertions with which apps have authenticated, until they expire. */
const usedAssertion = table('used_assertion', { id: text('PRIMARY KEY'), ends_at: integer() }, { isWithoutRowid: true })

/** Access tokens that were revoked before they expired. */
const revokedToken = table('revoked_token', { id: text('PRIMARY KEY'), ends_at: integer() }, { isWithoutRowid: true })

export const connectionTables = [connection, refreshToken, usedAssertion, revokedToken] as const
