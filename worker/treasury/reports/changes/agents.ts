import { maxAgents } from '#domain/policy.ts'
import { allScopes, type Scope } from '#domain/scopes.ts'
import type { Agent, Removed } from '#schemas/policy.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import { cancelApprovals } from '../../approvals/end.ts'
import { endGrants } from '../../approvals/grants.ts'
import type { Context } from '../../core/context.ts'
import { accountFull, type Store } from '../../core/storage/store.ts'
import { audit } from '../../ledger/audit.ts'
import { findReplay, idempotentRequest, remember } from '../../ledger/idempotency.ts'
import { budgetOf, spendableOf, takeIncrease } from '../../limits/ownerPassword.ts'
import { recordAgentName } from '../../outbox/changes.ts'
import { auditAndReport } from '../../outbox/reportedChanges.ts'
import { stopQueued } from '../../payments/cancel.ts'
import { endConnections } from '../../policies/connections.ts'
import type { AgentInput, NewCredential } from '../../policies/rpcTypes.ts'
import { agentView } from '../../policies/views.ts'
import { cancelPrepared } from '../../runs/end.ts'

const noAgent: Refused = notFound('Agent')

/** Stores the agent with hashes of its two credentials, never the secrets. `repeated`: an earlier call has created it. */
export function createAgent(ctx: Context, input: AgentInput): Result<{ agent: Agent; repeated: boolean }> {
  const { store } = ctx
  const request = idempotentRequest({ type: 'user' }, input.key, [input.name, input.memo, input.policyGroupId])
  return store.transaction((): Result<{ agent: Agent; repeated: boolean }> => {
    const replay = findReplay(store, request)
    if (replay) {
      if (!replay.ok) return replay
      const agent = store.agent(replay.value)
      return agent ? ok({ agent: agentView(ctx, agent), repeated: true }) : noAgent
    }
    if (store.isFull) return accountFull
    const group = store.group(input.policyGroupId)
    if (!group) return notFound('Policy group', 'policyGroupId')
    const tooMany = agentsRefusal(store)
    if (tooMany) return tooMany
    const unconfirmed = takeIncrease(ctx, budgetOf(group), input.passwordChecked ?? false)
    if (unconfirmed) return unconfirmed
    const now = ctx.now()
    const { id } = input
    addAgent(ctx, input)
    const credential = { agent_id: id, created_at: input.issuedAt ?? now }
    store.insert('credential', { ...credential, kind: 'secret', hash: input.secretHash })
    store.insert('credential', { ...credential, kind: 'api_key', hash: input.apiKeyHash })
    remember(store, request, 'agent', id, now)
    return ok({ agent: agentView(ctx, store.agent(id)!), repeated: false })
  })
}

/** An account's agents are shown in one list. */
export const agentsRefusal = (store: Store): Refused | null =>
  store.count('agent WHERE deleted_at IS NULL') < maxAgents
    ? null
    : refuse('conflict', `An account can have ${maxAgents} agents. Delete one first.`)

/** Adds an agent without credentials to a group that exists. `connection`: that of its app. Call inside a transaction. */
export function addAgent(
  ctx: Context,
  agent: Pick<AgentInput, 'id' | 'name' | 'memo' | 'policyGroupId' | 'clientId'> & { connection?: string },
): void {
  const { id, name, memo, policyGroupId, clientId, connection } = agent
  const { store, now } = ctx
  store.insert('agent', { id, group_id: policyGroupId, name, memo, client_id: clientId, created_at: now() })
  auditAndReport(ctx, 'agent.created', id, { name, group: policyGroupId, clientId, ...(connection && { connection }) })
}

export function editAgent(ctx: Context, id: string, edit: { name: string; memo: string | null }): Result<Agent> {
  const { store } = ctx
  return store.transaction((): Result<Agent> => {
    const agent = store.agent(id)
    if (!agent) return noAgent
    store.run('UPDATE agent SET name = ?, memo = ? WHERE id = ?', edit.name, edit.memo, id)
    if (edit.name !== agent.name) recordAgentName(ctx, id)
    audit(store, ctx.now(), 'agent.changed', id, { name: edit.name })
    return ok(agentView(ctx, store.agent(id)!))
  })
}

/** Deletes an agent and its credentials. Its unsigned payments fail, signed ones run to completion. */
export function deleteAgent(ctx: Context, id: string): Result<Removed> {
  const { store } = ctx
  return store.transaction((): Result<Removed> => {
    if (!store.agent(id)) return noAgent
    const now = ctx.now()
    const stoppedPayments = stopQueued(ctx, { column: 'agent_id', id }, 'agent_deleted')
    endConnections(ctx, { column: 'agent_id', id }, 'agent_deleted')
    store.run('DELETE FROM credential WHERE agent_id = ?', id)
    store.run('UPDATE agent SET deleted_at = ? WHERE id = ?', now, id)
    cancelApprovals(ctx, { column: 'agent_id', id }, 'agent_deleted')
    cancelPrepared(ctx, [id])
    endGrants(ctx, { column: 'agent_id', id }, 'agent_deleted')
    audit(store, now, 'agent.deleted', id, { stoppedPayments })
    return ok({ id, agents: 1, stoppedPayments })
  })
}

/** Adds a secret or API key. Existing ones expire at `endsAt` (ms; may be now), or earlier if that was already set. */
export function replaceCredential(
  ctx: Context,
  id: string,
  input: NewCredential,
): Result<{ previousUntil: number | null }> {
  const { store } = ctx
  return store.transaction((): Result<{ previousUntil: number | null }> => {
    const agent = store.agent(id)
    if (!agent) return noAgent
    const unconfirmed = takeIncrease(
      ctx,
      spendableOf(store, store.group(agent.group_id)),
      input.passwordChecked ?? false,
    )
    if (unconfirmed) return unconfirmed
    const now = ctx.now()
    const { kind, hash, endsAt } = input
    store.run(
      'UPDATE credential SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE agent_id = ?2 AND kind = ?3',
      endsAt,
      id,
      kind,
    )
    store.run('DELETE FROM credential WHERE agent_id = ? AND expires_at <= ?', id, now)
    const issuedAt = input.issuedAt ?? now
    store.insert('credential', { hash, agent_id: id, kind, created_at: issuedAt })
    if (input.clientId) store.run('UPDATE agent SET client_id = ? WHERE id = ?', input.clientId, id)
    const previousUntil = endsAt <= now ? null : endsAt
    endGrants(ctx, { column: 'agent_id', id }, 'credential_changed')
    auditAndReport(ctx, 'agent.credential_replaced', id, { kind, issuedAt, previousUntil })
    return ok({ previousUntil })
  })
}

/** The scopes that the agent's group allows now. */
export function scopesOf(store: Store, agentId: string): Result<Scope[]> {
  const agent = store.agent(agentId)
  const group = agent && store.group(agent.group_id)
  if (!group) return notFound('Policy group')
  const scopes = JSON.parse(group.scopes) as string[]
  return ok(allScopes.filter((scope) => scopes.includes(scope)))
}
