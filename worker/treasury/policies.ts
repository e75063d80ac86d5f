import { formatUsdc } from '../domain/money.ts'
import { remainingOf } from '../domain/policy.ts'
import type { Result } from '../errors.ts'
import type { Agent, PolicyGroup, PolicyGroupWithAgents } from '../schemas/policy.ts'
import { audit } from './audit.ts'
import { type Context, newId } from './context.ts'
import { earlier, fingerprintOf, keyHash, remember, reusedKey } from './idempotency.ts'
import { groupPolicy } from './ledger.ts'
import { type AgentRow, column, type GroupRow, type Store, type WhitelistRow } from './store.ts'
import type { AgentInput, GroupInput } from './types.ts'

/** Creates a group with the contacts as they are now: what is paid later is this snapshot, not the contact's future. */
export function createGroup(ctx: Context, input: GroupInput): Result<PolicyGroup> {
  const { store } = ctx
  const hash = input.key === null ? null : keyHash({ type: 'user' }, input.key)
  // By their ids: what a contact says now is not what was asked.
  const { key: _, contacts, ...rest } = input
  const fingerprint = fingerprintOf({ ...rest, contacts: contacts.map(({ id }) => id) })
  return store.transaction((): Result<PolicyGroup> => {
    const known = hash === null ? null : earlier(store, hash, fingerprint)
    if (known === 'reused') return reusedKey
    if (known) {
      const group = store.group(known.ref)
      return group
        ? { ok: true, value: groupView(store, group) }
        : { ok: false, code: 'not_found', message: 'Policy group not found.' }
    }
    if (!store.wallet(input.walletId))
      return { ok: false, code: 'not_found', message: 'Wallet not found.', field: 'walletId' }
    const id = newId(ctx, 'grp')
    const now = ctx.now()
    const scopes = [...new Set([...input.scopes, 'payment_context:read'])]
    store.run(
      'INSERT INTO policy_group (id, wallet_id, name, spend_limit, scopes, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      input.walletId,
      input.name,
      input.spendLimit === null ? null : column(input.spendLimit),
      JSON.stringify(scopes),
      now,
    )
    for (const contact of input.contacts)
      store.run(
        'INSERT INTO whitelist (group_id, contact_id, name, address, email, phone) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        contact.id,
        contact.name,
        contact.address,
        contact.email,
        contact.phone,
      )
    if (hash !== null) remember(store, hash, fingerprint, 'group', id, now)
    audit(store, now, 'group.created', id, {
      name: input.name,
      limit: input.spendLimit === null ? null : formatUsdc(input.spendLimit),
      scopes,
      wallet: input.walletId,
      contacts: input.contacts.map((contact) => contact.id),
    })
    return { ok: true, value: groupView(store, store.group(id)!) }
  })
}

/**
 * A contact is about to change (null: to be deleted). A snapshot that differs becomes stale and is refused until the
 * owner confirms it (threats.md A13); a deleted contact leaves every whitelist at once.
 */
export function contactChanged(
  ctx: Context,
  contactId: string,
  now: { address: string | null; email: string | null; phone: string | null } | null,
): void {
  const { store } = ctx
  store.transaction(() => {
    const touched =
      now === null
        ? store.run('DELETE FROM whitelist WHERE contact_id = ?', contactId)
        : store.run(
            'UPDATE whitelist SET stale = 1 WHERE contact_id = ? AND (address IS NOT ? OR email IS NOT ? OR phone IS NOT ?)',
            contactId,
            now.address,
            now.email,
            now.phone,
          )
    if (touched > 0) audit(store, ctx.now(), now === null ? 'contact.removed' : 'contact.stale', contactId)
  })
}

/** The agent with its two credentials' hashes; the secrets themselves never come here. `repeated`: an earlier call made it. */
export function createAgent(ctx: Context, input: AgentInput): Result<{ agent: Agent; repeated: boolean }> {
  const { store } = ctx
  const hash = input.key === null ? null : keyHash({ type: 'user' }, input.key)
  const fingerprint = fingerprintOf([input.name, input.memo, input.policyGroupId])
  return store.transaction((): Result<{ agent: Agent; repeated: boolean }> => {
    const known = hash === null ? null : earlier(store, hash, fingerprint)
    if (known === 'reused') return reusedKey
    if (known) {
      const agent = store.agent(known.ref)
      return agent
        ? { ok: true, value: { agent: agentView(store, agent), repeated: true } }
        : { ok: false, code: 'not_found', message: 'Agent not found.' }
    }
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
    return { ok: true, value: { agent: agentView(store, store.agent(input.id)!), repeated: false } }
  })
}

export function listGroups(store: Store): PolicyGroupWithAgents[] {
  return store
    .all<GroupRow>('SELECT * FROM policy_group WHERE deleted_at IS NULL ORDER BY created_at DESC')
    .map((group) => {
      const policyGroup = groupView(store, group)
      return {
        policyGroup,
        agents: store
          .all<AgentRow>('SELECT * FROM agent WHERE group_id = ? AND deleted_at IS NULL ORDER BY created_at', group.id)
          .map((agent) => agentView(store, agent)),
        agentCount: policyGroup.agentCount,
        totalTransactions: policyGroup.totalTransactions,
        lastActivity: policyGroup.lastActivity,
      }
    })
}

export const listAgents = (store: Store): Agent[] =>
  store
    .all<AgentRow>('SELECT * FROM agent WHERE deleted_at IS NULL ORDER BY created_at DESC')
    .map((agent) => agentView(store, agent))

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

export function groupView(store: Store, group: GroupRow): PolicyGroup {
  const wallet = store.wallet(group.wallet_id)
  const { budget } = groupPolicy(group, null, false)
  const remaining = remainingOf(budget)
  return {
    id: group.id,
    name: group.name,
    spendLimit: budget.limit === null ? null : Number(formatUsdc(budget.limit)),
    spendLimitUsdc: budget.limit === null ? null : formatUsdc(budget.limit),
    currentSpent: formatUsdc(budget.spent),
    held: formatUsdc(budget.held),
    remaining: remaining === null ? null : formatUsdc(remaining),
    walletId: group.wallet_id,
    wallet: wallet && { name: wallet.name, address: wallet.address },
    scopes: JSON.parse(group.scopes) as string[],
    whitelistedContacts: store
      .all<WhitelistRow>('SELECT * FROM whitelist WHERE group_id = ? ORDER BY name', group.id)
      .map(({ contact_id, name, address, email, phone, stale }) => ({
        contact: { id: contact_id, name, address, email, phone },
        stale: stale === 1,
      })),
    agentCount: store.first<{ n: number }>(
      'SELECT count(*) AS n FROM agent WHERE group_id = ? AND deleted_at IS NULL',
      group.id,
    )!.n,
    totalTransactions: group.payments,
    lastActivity: iso(group.last_activity_at),
    version: group.version,
    createdAt: new Date(group.created_at).toISOString(),
  }
}

export function agentView(store: Store, agent: AgentRow): Agent {
  return {
    id: agent.id,
    name: agent.name,
    memo: agent.memo,
    policyGroupId: agent.group_id,
    policyGroup: { name: store.group(agent.group_id)?.name ?? '' },
    clientId: agent.client_id,
    status: agent.paused ? 'paused' : 'active',
    transactionCount: agent.payments,
    totalSpent: formatUsdc(BigInt(agent.spent)),
    lastActivity: iso(agent.last_activity_at),
    createdAt: new Date(agent.created_at).toISOString(),
  }
}
