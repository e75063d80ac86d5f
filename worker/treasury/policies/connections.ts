import { minuteMs } from '#domain/time.ts'
import type { ConnectionEventData } from '#schemas/webhook.ts'
import type { Context } from '../core/context.ts'
import type { ConnectionRow } from '../core/storage/connectionTables.ts'
import { audit } from '../ledger/audit.ts'
import { sendConnectionEvent } from '../outbox/events.ts'
import type { ConnectedApp, ConnectionEnd } from './rpcTypes.ts'

/** What acts on connections of apps below treasury/account/connections/, which makes them. */

type Filter = { column: 'id' | 'agent_id'; id: string }

/**
 * Ends connections that are active or wait for the app's exchange: no token that they gave works from the next call on. Their
 * agents stay. Call inside a transaction. Returns how many have ended.
 */
export function endConnections(ctx: Context, { column, id }: Filter, why: ConnectionEnd): number {
  const { store } = ctx
  const open = store.all<ConnectionRow>(`SELECT * FROM connection WHERE ${column} = ? AND status <> 'ended'`, id)
  for (const connection of open) {
    const now = ctx.now()
    if (connection.credential_hash) store.run('DELETE FROM credential WHERE hash = ?', connection.credential_hash)
    store.run('DELETE FROM refresh_token WHERE connection_id = ?', connection.id)
    store.update('connection', connection.id, { status: 'ended', ended_at: now })
    // What was never exchanged gave nothing.
    if (connection.status === 'allowed') continue
    audit(store, now, 'connection.revoked', connection.id, { ...recordOf(connection), why })
    sendConnectionEvent(ctx, 'connection.revoked', eventOf(connection, why))
  }
  return open.length
}

/** For the audit log, whose notices name the app. */
export const recordOf = ({ app, agent_id }: ConnectionRow) => ({ app: appOf(app).app.name, agent: agent_id })

export const appOf = (json: string) => JSON.parse(json) as ConnectedApp

export const eventOf = (connection: ConnectionRow, why: ConnectionEnd | null = null): ConnectionEventData => ({
  id: connection.id,
  object: 'connection',
  agent_id: connection.agent_id!,
  app: appOf(connection.app).app.name,
  reason: why,
})

/** Connections whose use in this minute is written, by the hash of their credential. */
const written = new WeakMap<Context, Map<string, number>>()

/**
 * Records that a connection is in use, at most once a minute. Does nothing if the credential is not that of a connection, or
 * no longer valid.
 */
export function noteUse(ctx: Context, credentialHash: string, isValid: () => boolean): void {
  const { store, now } = ctx
  const at = now()
  const known = written.get(ctx) ?? new Map<string, number>()
  written.set(ctx, known)
  const last = known.get(credentialHash)
  if (last !== undefined && at - last < minuteMs) return
  if (!isValid()) return
  if (known.size > 1_000) known.clear()
  known.set(credentialHash, at)
  const connection = store.cached('any', `connection ${credentialHash}`, () =>
    store.first<ConnectionRow>('SELECT * FROM connection WHERE credential_hash = ?', credentialHash),
  )
  if (!connection) return
  store.transaction(() => {
    store.update('connection', connection.id, { used_at: at })
    if (connection.used_at !== null) return
    audit(store, at, 'connection.used', connection.id, recordOf(connection))
    sendConnectionEvent(ctx, 'connection.used', eventOf(connection))
  })
}
