import { type GrantEnd, type GrantTerms, grantCovers } from '#domain/approval.ts'
import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import { isoOf } from '#domain/time.ts'
import { notFound, ok, type Result, refuse } from '../../result.ts'
import { type Context, newId } from '../core/context.ts'
import { formatColumn, fromColumn, toColumn } from '../core/storage/columns.ts'
import type { ApprovalRow, GrantRow, PaymentRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import type { Decider } from './rpcTypes.ts'

/** Maximum number of active grants per account; they are searched one by one. */
const maxGrants = 200

export const grantTerms = (row: GrantRow): GrantTerms => ({
  agentId: row.agent_id,
  address: row.address,
  limit: fromColumn(row.spend_limit),
  used: fromColumn(row.used),
  endsAt: row.ends_at,
  ended: row.ended_at !== null,
})

/** The grant that covers this payment; if several do, the one that ends first. Null if none does. */
export function coveringGrant(
  { store, now }: Context,
  payment: { agentId: string; address: string; amount: MicroUsdc },
): GrantRow | null {
  const live = store.all<GrantRow>(
    'SELECT * FROM approval_grant WHERE agent_id = ? AND ended_at IS NULL ORDER BY ends_at, id',
    payment.agentId,
  )
  return live.find((row) => grantCovers(grantTerms(row), { ...payment, at: now() })) ?? null
}

/** Called in the transaction that accepts the payment. The amount is released with its reservation (ledger.ts). */
export const takeFromGrant = ({ store }: Context, grant: GrantRow, amount: MicroUsdc): void => {
  store.run('UPDATE approval_grant SET used = used + ? WHERE id = ?', toColumn(amount), grant.id)
}

/** Creates a grant with the approval of a payment to an address, inside the approving transaction. Returns its id. */
export function createGrant(
  ctx: Context,
  approval: ApprovalRow,
  waiting: PaymentRow,
  terms: { amount: MicroUsdc; endsAt: number },
  by: Decider,
): Result<string> {
  const { store } = ctx
  const now = ctx.now()
  if (waiting.to_address === null)
    return refuse('unprocessable', 'A permission can only be granted for payments to an address.', { field: 'grant' })
  if (terms.endsAt <= now)
    return refuse('invalid_input', 'The end of the permission is in the past.', { field: 'grant.endsAt' })
  if (store.count('approval_grant WHERE ended_at IS NULL AND ends_at > ?', now) >= maxGrants)
    return refuse('unprocessable', `At most ${maxGrants} permissions can be in force. End one first.`, {
      field: 'grant',
    })
  const id = newId(ctx, 'gnt')
  store.insert('approval_grant', {
    id,
    approval_id: approval.id,
    agent_id: approval.agent_id,
    group_id: approval.group_id,
    address: waiting.to_address,
    contact_id: waiting.contact_id,
    contact_name: waiting.contact_name,
    spend_limit: toColumn(terms.amount),
    created_at: now,
    created_by: by.userId,
    created_name: by.name,
    ends_at: terms.endsAt,
  })
  ctx.schedule('approvals', terms.endsAt)
  audit(store, now, 'grant.created', id, {
    by: by.userId,
    session: by.sessionId,
    approval: approval.id,
    agent: approval.agent_id,
    to: waiting.to_address,
    amount: formatUsdc(terms.amount),
    endsAt: isoOf(terms.endsAt),
  })
  return ok(id)
}

type GrantFilter = { column: 'id' | 'agent_id' | 'group_id' | 'contact_id'; id: string }

/** Ends the matching active grants and returns how many. Called inside the transaction of the change that ends them. */
export function endGrants(ctx: Context, { column, id }: GrantFilter, why: GrantEnd, by: Decider | null = null): number {
  const { store } = ctx
  const live = store.all<GrantRow>(`SELECT * FROM approval_grant WHERE ${column} = ? AND ended_at IS NULL`, id)
  for (const grant of live) {
    store.run('UPDATE approval_grant SET ended_at = ?, end_reason = ? WHERE id = ?', ctx.now(), why, grant.id)
    audit(store, ctx.now(), 'grant.ended', grant.id, {
      ...(by && { by: by.userId, session: by.sessionId }),
      why,
      agent: grant.agent_id,
      used: formatColumn(grant.used),
    })
  }
  return live.length
}

/** Ends grants whose end date has passed; until then they cover nothing either. Returns when the next one ends (ms). */
export function endOverdueGrants(ctx: Context): number | null {
  const { store, now } = ctx
  for (const { id } of store.all<{ id: string }>(
    'SELECT id FROM approval_grant WHERE ended_at IS NULL AND ends_at <= ?',
    now(),
  ))
    endGrants(ctx, { column: 'id', id }, 'expired')
  return (
    store.first<{ at: number | null }>('SELECT min(ends_at) AS at FROM approval_grant WHERE ended_at IS NULL')?.at ??
    null
  )
}

/** Ends a grant for the owner. Ending it twice changes nothing. */
export function endGrant(ctx: Context, id: string, by: Decider): Result<GrantRow> {
  return ctx.store.transaction((): Result<GrantRow> => {
    if (!ctx.store.grant(id)) return notFound('Permission')
    endGrants(ctx, { column: 'id', id }, 'owner', by)
    return ok(ctx.store.grant(id)!)
  })
}
