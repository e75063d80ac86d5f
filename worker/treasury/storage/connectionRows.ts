/** Rows of the tables of connected apps (tables.ts). `app` and `consent` are JSON. */

export type ConnectionRow = {
  id: string
  request_id: string
  status: 'allowed' | 'active' | 'ended'
  client_id: string
  redirect_key: string
  app: string
  consent: string
  code_hash: string | null
  expires_at: number
  agent_id: string | null
  credential_hash: string | null
  created_at: number
  used_at: number | null
  ended_at: number | null
}

/** Of a connection. `replaced_at`: when it was first exchanged; `successors`: how often. */
export type RefreshTokenRow = {
  hash: string
  connection_id: string
  created_at: number
  expires_at: number
  replaced_at: number | null
  successors: number
}
