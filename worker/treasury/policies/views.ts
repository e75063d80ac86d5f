import { formatUsdc, type MicroUsdc, saturatingSub } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { remainingOf } from '#domain/policy.ts'
import { type RuleField, type RuleValues, windowsIn, wireRules } from '#domain/rules/values.ts'
import type { Used } from '#domain/rules/windows.ts'
import { isoOf } from '#domain/time.ts'
import type { Agent, AgentRefusal, PolicyGroup, PolicyGroupWithAgents } from '#schemas/policy.ts'
import type { RuleViews } from '#schemas/rules.ts'
import { nextTurn } from '../../durable/turns.ts'
import { notFound, ok, type RecordedRefusal, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import { groupPolicy } from '../core/storage/groupPolicy.ts'
import type { AgentRow, GroupRow, PaymentRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { readWindows } from '../ledger/windows.ts'
import { shownInList, whitelistOf } from './whitelist.ts'

const text = (amount: bigint | null) => (amount === null ? null : formatUsdc(amount))

/** `contacts`: how many of its whitelisted contacts the view has. */
export function groupView({ store, now }: Context, group: GroupRow, contacts?: number): PolicyGroup {
  const { budget, unclaimed, rules } = groupPolicy(group, null, false)
  const agents = store.first<{ live: number; former: number; spent: number; held: number }>(
    `SELECT count(*) FILTER (WHERE deleted_at IS NULL) AS live, count(*) FILTER (WHERE deleted_at IS NOT NULL) AS former,
       coalesce(sum(spent) FILTER (WHERE deleted_at IS NOT NULL), 0) AS spent,
       coalesce(sum(held) FILTER (WHERE deleted_at IS NOT NULL), 0) AS held FROM agent WHERE group_id = ?`,
    group.id,
  )!
  return {
    id: group.id,
    name: group.name,
    status: group.paused ? 'paused' : 'active',
    spendLimit: budget.limit === null ? null : Number(formatUsdc(budget.limit)),
    spendLimitUsdc: text(budget.limit),
    currentSpent: formatUsdc(budget.spent),
    held: formatUsdc(budget.held),
    remaining: text(remainingOf(budget)),
    walletId: group.wallet_id,
    wallet: walletOf(store, group.wallet_id, now()),
    scopes: JSON.parse(group.scopes) as string[],
    ...whitelistOf(store, group.id, contacts),
    ...countedRules(rules, readWindows(store, group, rules, null, now()).used),
    unclaimed: formatUsdc(unclaimed),
    agentCount: agents.live,
    formerAgents: {
      count: agents.former,
      spent: formatColumn(agents.spent),
      held: formatColumn(agents.held),
    },
    totalTransactions: group.payments,
    lastActivity: isoOf(group.last_activity_at),
    version: group.version,
    isConfirmed: group.confirmed_version === group.version,
    createdAt: isoOf(group.created_at),
  }
}

/** Each rule's value; of a rule that counts for the whole group, also what it has counted and until when. */
function countedRules(rules: RuleValues, used: Record<string, Used>) {
  const views: Record<string, unknown> = { ...wireRules(rules) }
  for (const { rule } of windowsIn(rules)) {
    const counted = used[rule.field]
    if (!counted) continue
    const value = rules[rule.field as RuleField] as { limit?: MicroUsdc; count?: number }
    const shown = (sum: bigint) => (rule.counts ? Number(sum) : formatUsdc(sum))
    views[rule.field] = {
      ...(views[rule.field] as object),
      used: shown(counted.used),
      remaining: shown(saturatingSub(BigInt(value.limit ?? value.count!), counted.used)),
      startsAt: isoOf(counted.startsAt),
      resetsAt: isoOf(counted.resetsAt),
    }
  }
  return views as RuleViews
}

function walletOf(store: Store, id: string, now: number): PolicyGroup['wallet'] {
  const wallet = store.wallet(id)
  if (!wallet) return null
  const session = store.session(id)
  return {
    name: wallet.name,
    address: wallet.address,
    chain: chainNameOf(wallet.chain_id),
    paused: wallet.paused === 1,
    canPay:
      wallet.status === 'active' && wallet.halt_kind === null && session !== null && now <= session.valid_until * 1000,
  }
}

export function agentView({ store, now }: Context, agent: AgentRow): Agent {
  const group = store.group(agent.group_id)
  const previous = (kind: 'secret' | 'api_key') =>
    isoOf(
      store.first<{ until: number | null }>(
        'SELECT max(expires_at) AS until FROM credential WHERE agent_id = ? AND kind = ? AND expires_at > ?',
        agent.id,
        kind,
        now(),
      )?.until ?? null,
    )
  return {
    id: agent.id,
    name: agent.name,
    memo: agent.memo,
    policyGroupId: agent.group_id,
    policyGroup: { name: group?.name ?? '' },
    clientId: agent.client_id,
    status: agent.paused ? 'paused' : 'active',
    transactionCount: agent.payments,
    totalSpent: formatColumn(agent.spent),
    held: formatColumn(agent.held),
    remaining: group && text(remainingOf(groupPolicy(group, null, false).budget)),
    previousApiKeyUntil: previous('api_key'),
    previousSecretUntil: previous('secret'),
    lastActivity: isoOf(agent.last_activity_at),
    createdAt: isoOf(agent.created_at),
  }
}

/** Others have their turn after so many groups or agents. */
const rowsInATurn = 25

async function inTurns<Row, View>(rows: Row[], viewOf: (row: Row) => View): Promise<View[]> {
  const views: View[] = []
  for (const row of rows) {
    if (views.length > 0 && views.length % rowsInATurn === 0) await nextTurn()
    views.push(viewOf(row))
  }
  return views
}

export async function listGroups(ctx: Context): Promise<PolicyGroupWithAgents[]> {
  const agents = Map.groupBy(
    ctx.store.all<AgentRow>('SELECT * FROM agent WHERE deleted_at IS NULL ORDER BY created_at, id'),
    ({ group_id }) => group_id,
  )
  const groups = ctx.store.all<GroupRow>(
    'SELECT * FROM policy_group WHERE deleted_at IS NULL ORDER BY created_at DESC, id DESC',
  )
  const policyGroups = await inTurns(groups, (group) => groupView(ctx, group, shownInList))
  const lists: PolicyGroupWithAgents[] = []
  for (const policyGroup of policyGroups) {
    const { agentCount, totalTransactions, lastActivity } = policyGroup
    const own = await inTurns(agents.get(policyGroup.id) ?? [], (agent) => agentView(ctx, agent))
    lists.push({ policyGroup, agents: own, agentCount, totalTransactions, lastActivity })
  }
  return lists
}

export const listAgents = (ctx: Context): Promise<Agent[]> =>
  inTurns(
    ctx.store.all<AgentRow>('SELECT * FROM agent WHERE deleted_at IS NULL ORDER BY created_at DESC, id DESC'),
    (agent) => agentView(ctx, agent),
  )

const maxRefusalsShown = 20

/** The agent's last 20 refusals, newest first; they are kept for 30 days. */
export function refusalsOf({ store }: Context, agentId: string): Result<AgentRefusal[]> {
  if (!store.agent(agentId)) return notFound('Agent')
  const rows = store.all<PaymentRow>(
    'SELECT * FROM payment WHERE agent_id = ? AND refusal IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT ?',
    agentId,
    maxRefusalsShown,
  )
  return ok(rows.map(agentRefusalView))
}

function agentRefusalView(row: PaymentRow): AgentRefusal {
  const { refusal } = JSON.parse(row.refusal ?? '{}') as { refusal?: RecordedRefusal }
  return {
    id: row.id,
    at: isoOf(row.created_at),
    amount: formatColumn(row.amount),
    to: {
      type: row.to_type,
      ...(row.to_address !== null && { address: row.to_address }),
      ...(row.contact_id !== null && { contactId: row.contact_id }),
      ...(row.recipient_email !== null && { email: row.recipient_email }),
      ...(row.recipient_phone !== null && { phone: row.recipient_phone }),
      ...(row.resource !== null && { resource: row.resource }),
    },
    code: row.error_code ?? '',
    message: row.error_message ?? '',
    rule: refusal?.rule ?? null,
    next: refusal?.next_for_owner ?? refusal?.next ?? null,
    maxAllowedNow: refusal?.max_allowed_now ?? null,
    resetsAt: refusal?.resets_at ?? null,
    policyVersion: row.policy_version,
  }
}
