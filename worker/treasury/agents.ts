import { decideActive } from '../domain/policy.ts'
import type { Refused, Result } from '../errors.ts'
import type { Agent, Removed } from '../schemas/policy.ts'
import { audit } from './audit.ts'
import { stopQueued } from './cancel.ts'
import type { Context } from './context.ts'
import { earlier, fingerprintOf, keyOf, remember, reusedKey } from './idempotency.ts'
import { agentView } from './policyViews.ts'
import { figuresView } from './refusals.ts'
import { accountFull } from './store.ts'
import type { AgentInput, Principal } from './types.ts'

const noAgent: Refused = { ok: false, code: 'not_found', message: 'Agent not found.' }

/**
 * May this agent call at all? Its credential lives, and nobody paused it. Asked on every call, so that deleting, pausing
 * and replacing a credential act on the next one, whatever token it comes with.
 */
export function agentGate(ctx: Context, principal: Extract<Principal, { type: 'agent' }>): Refused | null {
  const { store } = ctx
  const row = store.first<{ agent_paused: number; group_paused: number; name: string }>(
    `SELECT agent.paused AS agent_paused, policy_group.paused AS group_paused, policy_group.name
     FROM credential JOIN agent ON agent.id = credential.agent_id JOIN policy_group ON policy_group.id = agent.group_id
     WHERE credential.hash = ? AND agent.id = ? AND agent.deleted_at IS NULL AND policy_group.deleted_at IS NULL
       AND (credential.expires_at IS NULL OR credential.expires_at > ?)`,
    principal.credentialHash,
    principal.agentId,
    ctx.now(),
  )
  if (!row)
    return {
      ok: false,
      code: 'unauthenticated',
      message: 'Authentication failed: these agent credentials are no longer valid.',
    }
  const active = decideActive({
    name: row.name,
    agentPaused: row.agent_paused === 1,
    paused: row.group_paused === 1,
    accountPaused: store.accountPaused,
  })
  if (active.ok) return null
  const { code, message } = active.refusal
  return { ok: false, code, message, refusal: figuresView(active.refusal) }
}

/** The agent with its two credentials' hashes; the secrets themselves never come here. `repeated`: an earlier call made it. */
export function createAgent(ctx: Context, input: AgentInput): Result<{ agent: Agent; repeated: boolean }> {
  const { store } = ctx
  const hash = input.key === null ? null : keyOf({ type: 'user' }, input.key)
  const fingerprint = fingerprintOf([input.name, input.memo, input.policyGroupId])
  return store.transaction((): Result<{ agent: Agent; repeated: boolean }> => {
    const known = hash === null ? null : earlier(store, hash, fingerprint)
    if (known === 'reused') return reusedKey
    if (known) {
      const agent = store.agent(known.ref)
      return agent ? { ok: true, value: { agent: agentView(ctx, agent), repeated: true } } : noAgent
    }
    if (store.isFull) return accountFull
    if (!store.group(input.policyGroupId))
      return { ok: false, code: 'not_found', message: 'Policy group not found.', field: 'policyGroupId' }
    const now = ctx.now()
    store.run(
      'INSERT INTO agent (id, group_id, name, memo, client_id, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      input.id,
      input.policyGroupId,
      input.name,
      input.memo,
      input.clientId,
      now,
    )
    store.run(
      "INSERT INTO credential (hash, agent_id, kind) VALUES (?, ?, 'secret'), (?, ?, 'api_key')",
      input.secretHash,
      input.id,
      input.apiKeyHash,
      input.id,
    )
    if (hash !== null) remember(store, hash, fingerprint, 'agent', input.id, now)
    audit(store, now, 'agent.created', input.id, {
      name: input.name,
      group: input.policyGroupId,
      clientId: input.clientId,
    })
    return { ok: true, value: { agent: agentView(ctx, store.agent(input.id)!), repeated: false } }
  })
}

export function editAgent(ctx: Context, id: string, edit: { name: string; memo: string | null }): Result<Agent> {
  const { store } = ctx
  return store.transaction((): Result<Agent> => {
    if (!store.agent(id)) return noAgent
    store.run('UPDATE agent SET name = ?, memo = ? WHERE id = ?', edit.name, edit.memo, id)
    audit(store, ctx.now(), 'agent.changed', id, { name: edit.name })
    return { ok: true, value: agentView(ctx, store.agent(id)!) }
  })
}

/** Its credentials die at once, what is unsigned fails, what is signed runs to its end. */
export function deleteAgent(ctx: Context, id: string): Result<Removed> {
  const { store } = ctx
  return store.transaction((): Result<Removed> => {
    if (!store.agent(id)) return noAgent
    const now = ctx.now()
    const stoppedPayments = stopQueued(ctx, { column: 'agent_id', id }, 'agent_deleted')
    store.run('DELETE FROM credential WHERE agent_id = ?', id)
    store.run('UPDATE agent SET deleted_at = ? WHERE id = ?', now, id)
    audit(store, now, 'agent.deleted', id, { stoppedPayments })
    return { ok: true, value: { id, agents: 1, stoppedPayments } }
  })
}

/**
 * A new secret or API key beside those in use, which end at `endsAt` (ms; now = at once), or earlier where that was said
 * before.
 */
export function replaceCredential(
  ctx: Context,
  id: string,
  input: { kind: 'secret' | 'api_key'; hash: string; endsAt: number },
): Result<{ previousUntil: number | null }> {
  const { store } = ctx
  return store.transaction((): Result<{ previousUntil: number | null }> => {
    if (!store.agent(id)) return noAgent
    const now = ctx.now()
    const { kind, hash, endsAt } = input
    store.run(
      'UPDATE credential SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE agent_id = ?2 AND kind = ?3',
      endsAt,
      id,
      kind,
    )
    store.run('DELETE FROM credential WHERE agent_id = ? AND expires_at <= ?', id, now)
    store.run('INSERT INTO credential (hash, agent_id, kind) VALUES (?, ?, ?)', hash, id, kind)
    const previousUntil = endsAt <= now ? null : endsAt
    audit(store, now, 'agent.credential_replaced', id, { kind, previousUntil })
    return { ok: true, value: { previousUntil } }
  })
}
