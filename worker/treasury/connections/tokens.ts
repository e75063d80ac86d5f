import { bytesToHex } from '@noble/hashes/utils'
import { allScopes, grantedScopes, type Scope } from '#domain/scopes.ts'

import { ok, type Refused, type Result, refuse } from '../../result.ts'
import { addAgent } from '../changes/agents.ts'
import { addGroup } from '../changes/groups.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { sendConnectionEvent } from '../outbox/events.ts'
import { endConnections, eventOf, recordOf } from '../policies/connections.ts'
import type { ConnectionRow, RefreshTokenRow } from '../storage/connectionRows.ts'
import { choiceProblem } from './allow.ts'
import type { Consent, ExchangeInput, Granted, NewRefreshToken, RefreshInput } from './rpcTypes.ts'

/** A token may be exchanged once more within this time, because the reply may have been lost. */
const lostReplyMs = 30_000 // 30 seconds
/** The token's exchange, and one more. */
const maxSuccessors = 2

const notValid: Refused = refuse('gone', 'It is unknown, has expired, was used before, or belongs to another client.')
const wrongResource: Refused = refuse('invalid_input', 'resource must be the one that the person allowed.')

/**
 * Exchanges a code, or what a person allowed on a device, once: creates the agent and its group if they are new, and ends
 * earlier connections of the same app as the same agent. A code that is used again ends what it gave.
 */
export function exchange(ctx: Context, input: ExchangeInput): Result<Granted> {
  const { store } = ctx
  return store.transaction((): Result<Granted> => {
    const connection = store.connection(input.connectionId)
    if (!connection || connection.code_hash !== input.codeHash) return notValid
    if (connection.status !== 'allowed') {
      if (input.codeHash !== null) endConnections(ctx, { column: 'id', id: connection.id }, 'reused')
      return notValid
    }
    const consent = JSON.parse(connection.consent) as Consent
    const { redirectUri, challenge, document, resource } = consent.allowed
    const isSame =
      connection.client_id === input.clientId && redirectUri === input.redirectUri && challenge === input.challenge
    if (!isSame || ctx.now() >= connection.expires_at) return notValid
    if (input.resource !== null && input.resource !== resource) return wrongResource
    if (input.document !== document) return refuse('gone', 'The app has changed what it says about itself since.')
    const problem = suspendedOwner(ctx) ?? choiceProblem(ctx, consent)
    if (problem) return refuse('gone', `What was allowed is no longer possible: ${problem.message}`)
    return start(ctx, connection, consent, input.refresh)
  })
}

function start(
  ctx: Context,
  connection: ConnectionRow,
  consent: Consent,
  refreshToken: NewRefreshToken,
): Result<Granted> {
  const { store } = ctx
  const { id, client_id, redirect_key } = connection
  const made = agentFor(ctx, consent)
  if (!made.ok) return made
  const agentId = made.value
  const former = store.all<{ id: string }>(
    'SELECT id FROM connection WHERE client_id = ? AND redirect_key = ? AND agent_id = ? AND id <> ?',
    ...[client_id, redirect_key, agentId, id],
  )
  for (const one of former) {
    endConnections(ctx, { column: 'id', id: one.id }, 'connected_again')
    store.run('DELETE FROM connection WHERE id = ?', one.id)
  }
  const now = ctx.now()
  const credentialHash = bytesToHex(ctx.random(32))
  store.insert('credential', { hash: credentialHash, agent_id: agentId, kind: 'connection', created_at: now })
  store.update('connection', id, { status: 'active', agent_id: agentId, credential_hash: credentialHash })
  addToken(ctx, id, refreshToken)
  const active = store.connection(id)!
  audit(store, now, 'connection.created', id, recordOf(active))
  sendConnectionEvent(ctx, 'connection.created', eventOf(active))
  return ok(grantOf(ctx, active))
}

function agentFor(ctx: Context, { allowed: { agent }, newAgent }: Consent): Result<string> {
  if (agent.type === 'existing') return ok(agent.agentId)
  const { name, policyGroup } = agent
  const group = policyGroup.type === 'new' ? addGroup(ctx, policyGroup.group) : ok(policyGroup.policyGroupId)
  if (!group.ok) return group
  addAgent(ctx, { ...newAgent, name, memo: null, policyGroupId: group.value })
  return ok(newAgent.id)
}

/** `connection` is active. */
function grantOf({ store }: Context, { agent_id, credential_hash, consent }: ConnectionRow): Granted {
  const { scopes, resource } = (JSON.parse(consent) as Consent).allowed
  const group = store.group(store.agent(agent_id!)!.group_id)!
  const allowed = JSON.parse(group.scopes) as Scope[]
  return {
    agentId: agent_id!,
    credentialHash: credential_hash!,
    scopes: grantedScopes(
      scopes,
      allScopes.filter((scope) => allowed.includes(scope)),
    ),
    resource,
  }
}

const addToken = ({ store, now }: Context, connectionId: string, { hash, expiresAt }: NewRefreshToken) =>
  store.insert('refresh_token', { hash, connection_id: connectionId, created_at: now(), expires_at: expiresAt })

/**
 * Exchanges a refresh token. A second use within 30 s gets a second successor, of which only the one that is used first
 * continues. Any other use of a spent token ends the connection, because somebody has a copy of it.
 */
export function refresh(ctx: Context, input: RefreshInput): Result<Granted> {
  const { store } = ctx
  const { connectionId, oldHash } = input
  return store.transaction((): Result<Granted> => {
    const connection = store.connection(connectionId)
    if (connection?.status !== 'active' || connection.client_id !== input.clientId) return notValid
    const now = ctx.now()
    const token = store.first<RefreshTokenRow>(
      'SELECT * FROM refresh_token WHERE hash = ? AND connection_id = ?',
      ...[oldHash, connectionId],
    )
    if (!token || (token.replaced_at !== null && now - token.replaced_at > lostReplyMs)) {
      endConnections(ctx, { column: 'id', id: connectionId }, 'reused')
      return notValid
    }
    if (token.expires_at <= now) return notValid
    const granted = grantOf(ctx, connection)
    if (input.resource !== null && input.resource !== granted.resource) return wrongResource
    // Programs that share a token may renew it at once. The next call uses what another of them got.
    if (token.successors >= maxSuccessors)
      return refuse('rate_limited', 'This token was renewed twice just now. Use the newest one.', { retryAfter: 1 })
    // Its parent and its sibling are spent.
    if (token.replaced_at === null)
      store.run('DELETE FROM refresh_token WHERE connection_id = ? AND hash <> ?', connectionId, oldHash)
    store.run(
      'UPDATE refresh_token SET replaced_at = coalesce(replaced_at, ?), successors = successors + 1 WHERE hash = ?',
      ...[now, oldHash],
    )
    addToken(ctx, connectionId, input.refresh)
    return ok(granted)
  })
}

/** The app gives up the connection (RFC 7009). Does nothing for another client's. */
export function endByApp(ctx: Context, connectionId: string, clientId: string): void {
  ctx.store.transaction(() => {
    if (ctx.store.connection(connectionId)?.client_id === clientId)
      endConnections(ctx, { column: 'id', id: connectionId }, 'app')
  })
}
