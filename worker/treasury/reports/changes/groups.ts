import { formatUsdc, formatUsdcText, type MicroUsdc } from '#domain/money.ts'
import { increaseByEdit } from '#domain/ownerPassword.ts'
import { maxGroups } from '#domain/policy.ts'
import { editRules, wireRules } from '#domain/rules/values.ts'
import { allScopes } from '#domain/scopes.ts'
import type { PolicyGroup, Removed, ToppedUp, UpdatedPolicyGroup } from '#schemas/policy.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import { cancelApprovals } from '../../approvals/end.ts'
import { endGrants } from '../../approvals/grants.ts'
import { actorNow } from '../../core/acting.ts'
import { type Context, newId } from '../../core/context.ts'
import { formatColumn, toColumn } from '../../core/storage/columns.ts'
import { groupPolicy, rulesOf } from '../../core/storage/groupPolicy.ts'
import { memberOfPerson } from '../../core/storage/members.ts'
import type { AgentRow, GroupRow } from '../../core/storage/rows.ts'
import { accountFull, type Store } from '../../core/storage/store.ts'
import { audit } from '../../ledger/audit.ts'
import { findReplay, idempotentRequest, remember } from '../../ledger/idempotency.ts'
import { rebuildWindows } from '../../ledger/windows.ts'
import { boundsOf, takeIncrease } from '../../limits/ownerPassword.ts'
import { secondPersonRequired } from '../../limits/secondPerson.ts'
import { stopQueued } from '../../payments/cancel.ts'
import { raisedLimit } from '../../policies/budgets.ts'
import { endConnections } from '../../policies/connections.ts'
import type { GroupEdit, GroupInput, GroupRules, GroupTerms } from '../../policies/rpcTypes.ts'
import { groupView } from '../../policies/views.ts'
import { addContacts, anyGone, removeContacts, whitelistedIds } from '../../policies/whitelist.ts'
import { cancelPrepared } from '../../runs/end.ts'

const noGroup: Refused = notFound('Policy group')
const contactGone: Refused = notFound('A whitelisted contact was', 'whitelistedContactIds')

/** The group's view. */
const shown = (ctx: Context, result: Result<string>): Result<PolicyGroup> => {
  if (!result.ok) return result
  const group = ctx.store.group(result.value)
  return group ? ok(groupView(ctx, group)) : noGroup
}

/** Creates a group. Its whitelist keeps a snapshot of each contact: later changes need the owner's confirmation. */
export function createGroup(ctx: Context, input: GroupInput): Result<PolicyGroup> {
  const { store } = ctx
  const { key, contacts, ...rest } = input
  // Contacts by id only: their current data is not part of the request.
  const request = idempotentRequest({ type: 'user' }, key, { ...rest, contacts: contacts.map(({ id }) => id) })
  const result = store.transaction((): Result<string> => {
    const replay = findReplay(store, request)
    if (replay) return replay
    const added = addGroup(ctx, termsOf(input))
    if (added.ok) remember(store, request, 'group', added.value, ctx.now())
    return added
  })
  return shown(ctx, result)
}

/** The group of a request, as JSON can hold it until the group is added. */
export const termsOf = ({
  name,
  spendLimit,
  scopes,
  walletId,
  contacts,
  limits = {},
}: Omit<GroupInput, 'key'>): GroupTerms => ({
  name,
  spendLimit: spendLimit === null ? null : toColumn(spendLimit),
  scopes,
  walletId,
  contacts,
  rules: editRules('{}', limits),
})

/** Why a group could not be added now, or null. */
export function groupProblem({ store }: Context, { walletId, contacts }: GroupTerms): Refused | null {
  if (store.isFull) return accountFull
  if (store.count('policy_group WHERE deleted_at IS NULL') >= maxGroups)
    return refuse('conflict', `An account can have ${maxGroups} policy groups. Delete one first.`)
  const wallet = store.wallet(walletId)
  if (!wallet || wallet.status === 'deleted') return notFound('Wallet', 'walletId')
  return anyGone(store, contacts) ? contactGone : null
}

/** Adds a group and returns its id. Call inside a transaction. */
export function addGroup(ctx: Context, terms: GroupTerms): Result<string> {
  const problem = groupProblem(ctx, terms)
  if (problem) return problem
  const { store } = ctx
  const { name, spendLimit, scopes, walletId, contacts, rules } = terms
  const id = newId(ctx, 'grp')
  const now = ctx.now()
  store.insert('policy_group', {
    ...{ id, wallet_id: walletId, name, spend_limit: spendLimit, scopes: scopesColumn(scopes), created_at: now },
  })
  addContacts(store, id, contacts)
  setRules(store, store.group(id)!, rules, now)
  audit(store, now, 'group.created', id, {
    ...policyRecord(store.group(id)!),
    wallet: walletId,
    contacts: contacts.map((contact) => contact.id),
  })
  return ok(id)
}

/**
 * Changes what the group allows, effective from its agents' next call. `contacts` has those of `contactIds` that exist.
 * Contacts that are already listed keep their snapshot, and a stale one stays stale.
 */
export function editGroup(ctx: Context, id: string, edit: GroupEdit): Result<UpdatedPolicyGroup> {
  const { store } = ctx
  let rescoped = false
  const result = store.attempt((): Result<string> => {
    const group = store.group(id)
    if (!group) return noGroup
    const refused = editProblem(group, edit)
    if (refused) return refused
    const listed = new Set(edit.contactIds === undefined ? [] : whitelistedIds(store, id))
    const wanted = new Set(edit.contactIds)
    const added = edit.contacts.filter((contact) => wanted.has(contact.id) && !listed.has(contact.id))
    const removed = [...listed].filter((contactId) => !wanted.has(contactId))
    const isAdded = new Set(added.map((contact) => contact.id))
    const missing = [...wanted].some((each) => !listed.has(each) && !isAdded.has(each))
    if (missing || anyGone(store, added)) return contactGone
    // A full account can still be edited if that adds no contacts, such as to lower limits.
    if (added.length > 0 && store.isFull) return accountFull

    const now = ctx.now()
    const before = JSON.stringify(policyRecord(group))
    const boundsBefore = boundsOf(store, group)
    store.update('policy_group', id, {
      name: edit.name,
      scopes: scopesColumn(edit.scopes),
      ...(edit.spendLimit !== undefined && { spend_limit: columnOrNull(edit.spendLimit) }),
    })
    setRules(store, group, editRules(group.rules, edit.limits), now)
    removeContacts(store, id, removed)
    addContacts(store, id, added)
    const after = store.group(id)!
    if (before === JSON.stringify(policyRecord(after)) && added.length + removed.length === 0) return ok(id)
    const increase = increaseByEdit(boundsBefore, boundsOf(store, after))
    const unconfirmed = takeIncrease(ctx, increase, edit.passwordChecked ?? false)
    if (unconfirmed) return unconfirmed
    store.run('UPDATE policy_group SET version = version + 1 WHERE id = ?', id)
    audit(store, now, 'group.changed', id, {
      ...policyRecord({ ...after, version: after.version + 1 }),
      ...(added.length > 0 && { added: added.map((contact) => contact.id) }),
      ...(removed.length > 0 && { removed }),
    })
    endGrants(ctx, { column: 'group_id', id }, 'policy_changed')
    rescoped = after.scopes !== group.scopes
    return ok(id)
  })
  const group = shown(ctx, result)
  if (!group.ok || !rescoped) return group
  // Agents have no scopes of their own; the group's apply from their next call on.
  const scopeUpdateResults = store
    .all<AgentRow>('SELECT * FROM agent WHERE group_id = ? AND deleted_at IS NULL ORDER BY created_at, id', id)
    .map((agent) => ({ agentId: agent.id, agentName: agent.name, success: true }))
  return ok({ ...group.value, scopeUpdateResults })
}

function editProblem(group: GroupRow, edit: GroupEdit): Refused | null {
  if (edit.version !== undefined && edit.version !== group.version)
    return refuse('conflict', 'This policy group was changed in the meantime. Reload it and repeat your change.', {
      field: 'version',
    })
  if (edit.walletId !== undefined && edit.walletId !== group.wallet_id)
    return refuse('unprocessable', 'Wallet cannot be changed after creation', { field: 'walletId' })
  const { spent, held } = groupPolicy(group, null, false).budget
  if (edit.spendLimit != null && edit.spendLimit < spent + held)
    return refuse(
      'unprocessable',
      `Budget limit must be at least ${formatUsdcText(spent + held)} USDC, which is already spent or held`,
      { field: 'spendLimit' },
    )
  return null
}

/** What a rule counts from now on includes what was paid before in its window. */
function setRules(store: Store, group: GroupRow, rules: string, now: number): void {
  store.update('policy_group', group.id, { rules })
  rebuildWindows(store, group.id, rulesOf(group), rulesOf({ rules }), now)
}

/** Raises the total budget. Repeating the same key raises it once. */
export function topUp(
  ctx: Context,
  id: string,
  amount: MicroUsdc,
  key: string | null,
  passwordChecked = false,
): Result<ToppedUp> {
  const { store } = ctx
  const request = idempotentRequest({ type: 'user' }, key, ['top-up', id, amount])
  const result = store.attempt((): Result<string> => {
    const replay = findReplay(store, request)
    if (replay) return replay
    const raised = raiseBudget(ctx, id, amount)
    if (!raised.ok) return raised
    const unconfirmed = takeIncrease(ctx, amount, passwordChecked)
    if (unconfirmed) return unconfirmed
    const now = ctx.now()
    remember(store, request, 'top-up', id, now)
    return ok(id)
  })
  const group = shown(ctx, result)
  if (!group.ok) return group
  const { spendLimitUsdc, currentSpent, held, remaining } = group.value
  // The limit may have been removed since the first call.
  const budget = { limit: spendLimitUsdc ?? '0', spent: currentSpent, held, remaining: remaining ?? '0' }
  return ok({ budget, policyGroup: group.value })
}

/**
 * An approver agrees to these rules, with all their limits: from then on a second person is behind what they allow, until the
 * group changes in any way.
 */
export function confirmRules(ctx: Context, id: string, version: number): Result<PolicyGroup> {
  const { store } = ctx
  return store.transaction((): Result<PolicyGroup> => {
    const group = store.group(id)
    if (!group) return noGroup
    const member = memberOfPerson(store, actorNow().by)
    if (!member) return refuse('forbidden', 'A second person confirms the rules: an approver, not the owner.')
    if (member.decides_from > ctx.now()) return secondPersonRequired(ctx, true)
    if (group.version !== version)
      return refuse('conflict', 'These rules have changed since they were shown. Review them again.', {
        field: 'version',
      })
    store.run('UPDATE policy_group SET confirmed_version = version WHERE id = ?', id)
    audit(store, ctx.now(), 'group.confirmed', id, { policyVersion: version })
    return ok(groupView(ctx, store.group(id)!))
  })
}

/** Raises the total budget. `more` is added to the audit log. Call inside a transaction. */
export function raiseBudget(
  ctx: Context,
  id: string,
  amount: MicroUsdc,
  more: Record<string, unknown> = {},
): Result<MicroUsdc> {
  const { store } = ctx
  const group = store.group(id)
  if (!group) return noGroup
  const raised = raisedLimit(group, amount)
  if (!raised.ok) return raised
  store.run('UPDATE policy_group SET spend_limit = ?, version = version + 1 WHERE id = ?', toColumn(raised.value), id)
  audit(store, ctx.now(), 'group.topped_up', id, {
    amount: formatUsdc(amount),
    limit: formatUsdc(raised.value),
    policyVersion: group.version + 1,
    ...more,
  })
  return raised
}

/** Deletes the group with its agents and credentials. Unsigned payments fail, signed ones run to completion. */
export function deleteGroup(ctx: Context, id: string): Result<Removed> {
  const { store } = ctx
  return store.transaction((): Result<Removed> => {
    if (!store.group(id)) return noGroup
    const now = ctx.now()
    const agentIds = store
      .all<{ id: string }>('SELECT id FROM agent WHERE group_id = ? AND deleted_at IS NULL', id)
      .map((agent) => agent.id)
    const stoppedPayments = stopQueued(ctx, { column: 'group_id', id }, 'group_deleted')
    for (const agentId of agentIds) endConnections(ctx, { column: 'agent_id', id: agentId }, 'group_deleted')
    store.run('DELETE FROM credential WHERE agent_id IN (SELECT id FROM agent WHERE group_id = ?)', id)
    store.run('UPDATE agent SET deleted_at = ? WHERE group_id = ? AND deleted_at IS NULL', now, id)
    store.run('DELETE FROM whitelist WHERE group_id = ?', id)
    store.run('DELETE FROM recipient_window WHERE group_id = ?', id)
    store.run('UPDATE policy_group SET deleted_at = ?, version = version + 1 WHERE id = ?', now, id)
    cancelApprovals(ctx, { column: 'group_id', id }, 'group_deleted')
    cancelPrepared(ctx, agentIds)
    endGrants(ctx, { column: 'group_id', id }, 'group_deleted')
    audit(store, now, 'group.deleted', id, { agents: agentIds, stoppedPayments })
    return ok({ id, agents: agentIds.length, stoppedPayments })
  })
}

const columnOrNull = (amount: MicroUsdc | null) => (amount === null ? null : toColumn(amount))
/** In a fixed order, so that equal selections give equal text. */
const scopesColumn = (scopes: string[]) =>
  JSON.stringify(allScopes.filter((scope) => scopes.includes(scope) || scope === 'payment_context:read'))

/** The policy for the audit log, where decisions refer to its version. */
const policyRecord = (group: GroupRow): Record<string, unknown> => ({
  policyVersion: group.version,
  name: group.name,
  limit: group.spend_limit === null ? null : formatColumn(group.spend_limit),
  scopes: JSON.parse(group.scopes) as string[],
  ...wireRules(rulesOf(group)),
})

/** The rules of a group as they are stored, for a replay. */
export function groupRules({ store }: Context, id: string): Result<GroupRules> {
  const group = store.group(id)
  return group ? ok({ rules: group.rules, scopes: JSON.parse(group.scopes) as string[] }) : noGroup
}
