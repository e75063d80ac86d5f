import { groupVerdict } from '#domain/runs/groupVerdict.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import type { Context } from '../core/context.ts'
import { fromColumn } from '../core/storage/columns.ts'
import { groupPolicy } from '../core/storage/groupPolicy.ts'
import type { AgentRow, RunRow, RunRowRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { resolveTarget } from '../policies/paymentParties.ts'
import { paidBy } from './rows.ts'

/** The agent that prepared the run, also if it was deleted since. Null: a person made it. */
export const preparerOf = (store: Store, { made_by }: Pick<RunRow, 'made_by'>): AgentRow | null =>
  store.first<AgentRow>('SELECT * FROM agent WHERE id = ?', made_by)

/**
 * Why the group of the agent that prepared the run refuses a row: the rules about whom and how much its agents may pay at once.
 * Budgets, counts and hours are no part of it: the run is paid when a person says so, and not from the group's budget.
 */
export function groupRules(ctx: Context, run: RunRow): (row: RunRowRow) => string | null {
  const { store } = ctx
  const agent = preparerOf(store, run)
  if (!agent) return () => null
  const group = agent.deleted_at === null ? store.group(agent.group_id) : null
  if (!group) return () => 'The agent that prepared this run was deleted.'
  const policy = groupPolicy(group, agent, store.accountPaused)
  return (row) => {
    const target = resolveTarget(ctx, { group, policy }, recipientOf(row))
    return 'refusal' in target ? target.refusal.message : groupVerdict(policy.rules, fromColumn(row.amount))
  }
}

/** A contact is paid at its whitelisted snapshot, which the row was made from. */
function recipientOf(row: RunRowRow): Recipient {
  const paid = paidBy(row)
  if (row.contact_id === null) return paid
  return { type: 'contact', contactId: row.contact_id, method: paid.type }
}
