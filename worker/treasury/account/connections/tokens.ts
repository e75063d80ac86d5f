import { bytesToHex } from '@noble/hashes/utils'
import { bursar } from '#domain/actor.ts'
import { allScopes, grantedScopes, type Scope } from '#domain/scopes.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import { ok, type Refused, type Result, refuse } from '../../../result.ts'
import { actingAs } from '../../core/acting.ts'
import { suspendedOwner } from '../../core/commonRefusals.ts'
import type { Context } from '../../core/context.ts'
import type { ConnectionRow, RefreshTokenRow } from '../../core/storage/connectionTables.ts'
import { audit } from '../../ledger/audit.ts'
import { sendConnectionEvent } from '../../outbox/events.ts'
import { auditAndReport } from '../../outbox/reportedChanges.ts'
import { endConnections, eventOf, recordOf } from '../../policies/connections.ts'
import { addAgent } from '../../reports/changes/agents.ts'
import { addGroup } from '../../reports/changes/groups.ts'
import { choiceProblem } from './allow.ts'
import type {
  Assertion,
  CodeProof,
  Consent,
  ExchangeInput,
  Granted,
  NewRefreshToken,
  NextRefreshToken,
  RefreshInput,
  RefreshProof,
  Renewed,
  Successor,
} from './rpcTypes.ts'

/** An exchange that is repeated within this time gets the same successor. */
const sameExchangeMs = minuteMs
/** How long a token that was exchanged still gives access. */
export const spentTokenMs = dayMs
/** Spent tokens that are kept for each connection. An app that is always open exchanges 96 a day. */
const maxSpent = 1_000
/** More uses of spent tokens in a day are reported to the owner. */
const maxReuses = 20

const notValid: Refused = refuse('gone', 'It is unknown, has expired, was used before, or belongs to another client.')
const wrongResource: Refused = refuse('invalid_input', 'resource must be the one that the person allowed.')

/**
 * Exchanges a code, or what a person allowed on a device, once: creates the agent and its group if they are new, and ends
 * earlier connections of the same app as the same agent. A code that is used again ends what it gave.
 */
export function exchange(ctx: Context, input: ExchangeInput): Result<Granted> {
  return ctx.store.transaction((): Result<Granted> => {
    const found = exchangeable(ctx, input)
    if (!found.ok) return found
    const { connection, consent } = found.value
    const { document, mustSign } = consent.allowed
    if (input.document !== document) return refuse('gone', 'The app has changed what it says about itself since.')
    const problem = assertionProblem(ctx, input.assertion, mustSign)
    if (problem) return problem
    const ended = suspendedOwner(ctx) ?? choiceProblem(ctx, consent)
    if (ended) return refuse('gone', `What was allowed is no longer possible: ${ended.message}`)
    return start(ctx, connection, consent, input.refresh)
  })
}

/** Whether the code may be exchanged, as far as the app's website does not matter. A code that is used again ends what it gave. */
export const mayExchange = (ctx: Context, proof: CodeProof): Result<null> =>
  ctx.store.transaction((): Result<null> => {
    const found = exchangeable(ctx, proof)
    return found.ok ? ok(null) : found
  })

function exchangeable(ctx: Context, proof: CodeProof): Result<{ connection: ConnectionRow; consent: Consent }> {
  const connection = ctx.store.connection(proof.connectionId)
  if (!connection || connection.code_hash !== proof.codeHash) return notValid
  if (connection.status !== 'allowed') {
    if (proof.codeHash !== null) endConnections(ctx, { column: 'id', id: connection.id }, 'reused')
    return notValid
  }
  const consent = JSON.parse(connection.consent) as Consent
  const { redirectUri, challenge, resource } = consent.allowed
  const isSame =
    connection.client_id === proof.clientId && redirectUri === proof.redirectUri && challenge === proof.challenge
  if (!isSame || ctx.now() >= connection.expires_at) return notValid
  return proof.resource === null || proof.resource === resource ? ok({ connection, consent }) : wrongResource
}

/** Records an assertion, which works once if it has an id. Null if the app has authenticated as far as it has to. */
function assertionProblem({ store, now }: Context, assertion: Assertion | null, mustSign: boolean): Refused | null {
  if (!assertion)
    return mustSign ? refuse('unauthenticated', 'The authentication of this app needs a client_assertion.') : null
  const { id, usableUntil } = assertion
  if (id === null) return null
  store.run('DELETE FROM used_assertion WHERE ends_at < ?', now())
  if (store.count('used_assertion WHERE id = ?', id) > 0)
    return refuse('unauthenticated', 'Authentication failed: this client_assertion was used before.')
  store.insert('used_assertion', { id, ends_at: usableUntil })
  return null
}

function start(
  ctx: Context,
  connection: ConnectionRow,
  consent: Consent,
  refreshToken: NewRefreshToken,
): Result<Granted> {
  const { store } = ctx
  const { id, client_id, redirect_key } = connection
  const made = agentFor(ctx, id, consent)
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
  store.insert('refresh_token', { ...rowOf(refreshToken), connection_id: id, created_at: now })
  const active = store.connection(id)!
  auditAndReport(ctx, 'connection.created', id, recordOf(active))
  sendConnectionEvent(ctx, 'connection.created', eventOf(active))
  return ok(grantOf(ctx, active))
}

function agentFor(ctx: Context, connection: string, { allowed: { agent }, newAgent }: Consent): Result<string> {
  if (agent.type === 'existing') return ok(agent.agentId)
  const { name, policyGroup } = agent
  const group = policyGroup.type === 'new' ? addGroup(ctx, policyGroup.group) : ok(policyGroup.policyGroupId)
  if (!group.ok) return group
  addAgent(ctx, { ...newAgent, name, memo: null, policyGroupId: group.value, connection })
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

const rowOf = ({ hash, expiresAt }: NewRefreshToken) => ({ hash, expires_at: expiresAt })

/**
 * Exchanges a refresh token: access, and its successor. Some apps share one token among several programs, or send a request
 * again whose reply was lost, so a spent token still gives access, and ends nothing. Within a minute it is the same exchange
 * again, with the same successor; until a day after it, access only.
 */
export function refresh(ctx: Context, input: RefreshInput): Result<Renewed> {
  return ctx.store.transaction((): Result<Renewed> => {
    const found = renewable(ctx, input)
    if (!found.ok) return found
    const { connection, token, granted } = found.value
    const { mustSign } = (JSON.parse(connection.consent) as Consent).allowed
    const problem = assertionProblem(ctx, input.assertion, mustSign)
    if (problem) return problem
    const { replaced_at, seed } = token
    if (replaced_at === null) return ok({ ...granted, successor: replace(ctx, token, input.refresh) })
    if (ctx.now() - replaced_at < sameExchangeMs) return ok({ ...granted, successor: { seed: seed!, at: replaced_at } })
    countReuse(ctx, connection)
    return ok({ ...granted, successor: null })
  })
}

/** Whether the refresh token gives anything, as far as the app's website does not matter. */
export function mayRefresh(ctx: Context, proof: RefreshProof): Result<null> {
  const found = renewable(ctx, proof)
  return found.ok ? ok(null) : found
}

function renewable(
  ctx: Context,
  { connectionId, clientId, oldHash, resource }: RefreshProof,
): Result<{ connection: ConnectionRow; token: RefreshTokenRow; granted: Granted }> {
  const { store } = ctx
  const connection = store.connection(connectionId)
  if (connection?.status !== 'active' || connection.client_id !== clientId) return notValid
  const token = store.first<RefreshTokenRow>(
    'SELECT * FROM refresh_token WHERE hash = ? AND connection_id = ?',
    ...[oldHash, connectionId],
  )
  const now = ctx.now()
  if (!token || token.expires_at <= now) return notValid
  if (token.replaced_at !== null && now - token.replaced_at >= spentTokenMs) return notValid
  const granted = grantOf(ctx, connection)
  return resource === null || resource === granted.resource ? ok({ connection, token, granted }) : wrongResource
}

/** Spends the token, and forgets those that give nothing any more. */
function replace({ store, now }: Context, { hash, connection_id }: RefreshTokenRow, next: NextRefreshToken): Successor {
  const at = now()
  store.run('UPDATE refresh_token SET replaced_at = ?, seed = ? WHERE hash = ?', at, next.seed, hash)
  store.run('DELETE FROM refresh_token WHERE connection_id = ? AND replaced_at <= ?', connection_id, at - spentTokenMs)
  store.run(
    `DELETE FROM refresh_token WHERE connection_id = ?1 AND replaced_at <= (
       SELECT replaced_at FROM refresh_token WHERE connection_id = ?1 AND replaced_at IS NOT NULL
       ORDER BY replaced_at DESC LIMIT 1 OFFSET ?2)`,
    ...[connection_id, maxSpent],
  )
  store.insert('refresh_token', { ...rowOf(next), connection_id, created_at: at })
  return { seed: next.seed, at }
}

/** The owner hears of it once in a day, because an app that shares its token does this all day long. */
function countReuse(ctx: Context, connection: ConnectionRow): void {
  const { store } = ctx
  const now = ctx.now()
  const isNewDay = connection.reuses_since === null || now - connection.reuses_since >= dayMs
  const reuses = isNewDay ? 1 : connection.reuses + 1
  store.update('connection', connection.id, { reuses, ...(isNewDay && { reuses_since: now }) })
  if (reuses === maxReuses + 1) audit(store, now, 'connection.token_reused', connection.id, recordOf(connection))
}

/** The app gives up the connection (RFC 7009). Does nothing for another client's. */
export function endByApp(ctx: Context, connectionId: string, clientId: string): void {
  ctx.store.transaction(() => {
    const connection = ctx.store.connection(connectionId)
    if (connection?.client_id !== clientId) return
    const by = connection.agent_id === null ? bursar : { by: connection.agent_id, via: 'api' as const }
    actingAs(by, () => endConnections(ctx, { column: 'id', id: connectionId }, 'app'))
  })
}
