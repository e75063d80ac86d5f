import { isoOf } from '#domain/time.ts'
import type { HandedOut } from '#schemas/policy.ts'
import type { Context } from '../../core/context.ts'
import { formatColumn } from '../../core/storage/columns.ts'
import { isSellerSubmitted } from '../../core/storage/kindSql.ts'
import type { PaymentRow } from '../../core/storage/rows.ts'

type Row = Pick<PaymentRow, 'wallet_id' | 'group_id' | 'agent_id' | 'amount'> & { n: number; until: number }

/**
 * What sellers can still take of purchases that were handed out, by wallet and agent. No pause ends it, only a new session key
 * or time does.
 */
export function handedOut({ store, now }: Context): HandedOut[] {
  const rows = store.all<Row>(
    `SELECT wallet_id, group_id, agent_id, count(*) AS n, sum(amount) AS amount, max(max_deadline) AS until
     FROM payment WHERE status = 'PROCESSING' AND ${isSellerSubmitted('kind')} AND max_deadline > ? GROUP BY 1, 2, 3`,
    now() / 1000,
  )
  return rows.map(({ wallet_id, group_id, agent_id, n, amount, until }) => ({
    walletId: wallet_id,
    policyGroupId: group_id,
    agentId: agent_id,
    count: n,
    amount: formatColumn(amount),
    until: isoOf(until * 1000),
  }))
}
