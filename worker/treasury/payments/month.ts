import { utcDay } from '#domain/gasAllowance.ts'
import { formatUsdc, zeroUsdc } from '#domain/money.ts'
import { monthOf } from '#domain/statistics.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { Context } from '../core/context.ts'
import { fromColumn } from '../core/storage/columns.ts'
import { enqueue } from '../outbox/enqueue.ts'

/** A month's payments by one agent, or by the owner. `spent` is decimal USDC. */
type Spender = { name: string; payments: number; spent: string }
export type MonthReport = { month: string; startsAt: number; spent: string; payments: number; spenders: Spender[] }

/** What left the wallets on the primary network in the month that ends before `now` (ms), by who spent most. */
export function lastMonth({ env, store }: Context, now: number): MonthReport {
  const { startsAt: endsAt } = monthOf(now)
  const { month, startsAt } = monthOf(endsAt - 1)
  const rows = store.all<{ agent_id: string; n: number; amount: number }>(
    `SELECT agent_id, sum(n) AS n, sum(amount) AS amount FROM spent_day
     WHERE day >= ? AND day < ? AND wallet_id IN (SELECT id FROM wallet WHERE chain_id = ?)
     GROUP BY agent_id HAVING sum(n) > 0 ORDER BY 3 DESC, 1`,
    utcDay(startsAt),
    utcDay(endsAt),
    primaryChain(env),
  )
  return {
    month,
    startsAt,
    spent: formatUsdc(rows.reduce<bigint>((sum, { amount }) => sum + fromColumn(amount), zeroUsdc)),
    payments: rows.reduce((sum, { n }) => sum + n, 0),
    spenders: rows.map(({ agent_id, n, amount }) => ({
      name: agent_id === '' ? 'You' : (store.agentName(agent_id) ?? 'Unknown'),
      payments: n,
      spent: formatUsdc(fromColumn(amount)),
    })),
  }
}

/** Once a month, after its end: a mail about it to the owner, if anything was spent. */
export function reportMonth(ctx: Context): void {
  const { store, now } = ctx
  const { month } = monthOf(now())
  if (store.meta('month_reported') === month) return
  store.transaction(() => {
    store.setMeta('month_reported', month)
    if (lastMonth(ctx, now()).payments > 0) enqueue(ctx, 'mail.month', month)
  })
}
