import { utcDay } from '#domain/gasAllowance.ts'
import { formatUsdc, zeroUsdc } from '#domain/money.ts'
import { lastDays } from '#domain/statistics.ts'
import type { Spending, SpendingSeries } from '#schemas/usage.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { fromColumn } from '../core/storage/columns.ts'
import type { Store } from '../core/storage/store.ts'
import type { SpendingInput } from './rpcTypes.ts'

/** More series could not be distinguished in a chart. */
const maxSeries = 5

/** Money that left one wallet, or all wallets on the primary network, on each of the last UTC days. */
export function spendingOf({ env, store, now }: Context, { days, by, walletId }: SpendingInput): Result<Spending> {
  if (walletId !== undefined && !store.wallet(walletId)) return notFound('Wallet', 'wallet')
  const window = lastDays(now(), days)
  const wallets = walletId === undefined ? 'wallet_id IN (SELECT id FROM wallet WHERE chain_id = ?2)' : 'wallet_id = ?2'
  const of = walletId ?? primaryChain(env)
  const firstDay = utcDay(window[0]!.startsAt)
  const before = store.all<{ day: number; sum: number }>(
    `SELECT day - ?1 AS day, sum(amount) AS sum FROM spent_day WHERE day >= ?1 AND day < ?1 + ?3 AND ${wallets} GROUP BY 1`,
    firstDay - days,
    of,
    days,
  )
  const rows = store.all<{ id: string | null; day: number; n: number; sum: number }>(
    `SELECT nullif(${by}_id, '') AS id, day - ?1 AS day, sum(n) AS n, sum(amount) AS sum FROM spent_day
     WHERE day >= ?1 AND ${wallets} GROUP BY 1, 2 HAVING sum(n) > 0`,
    firstDay,
    of,
  )
  const found = new Map<string | null, Sums>()
  for (const { id, day, n, sum } of rows) {
    const sums = found.get(id) ?? emptySums(days)
    found.set(id, sums)
    sums.count += n
    sums.total += fromColumn(sum)
    // If the clock was set back by a day, there may be payments dated tomorrow. They count today.
    const at = Math.min(day, days - 1)
    sums.amounts[at] = sums.amounts[at]! + fromColumn(sum)
  }
  const sorted = [...found].sort(([, a], [, b]) => (a.total === b.total ? 0 : a.total < b.total ? 1 : -1))
  const shown = sorted.length > maxSeries + 1 ? sorted.slice(0, maxSeries) : sorted
  const others = sorted.slice(shown.length)
  return ok({
    days: window.map(({ day }) => day),
    previous: window.map((_, i) => formatUsdc(fromColumn(before.find(({ day }) => day === i)?.sum ?? 0))),
    series: [
      ...shown.map(([id, sums]) => ({
        ...sumsOf(sums),
        ...{
          kind: id === null ? ('user' as const) : by,
          id,
          name: nameOf(store, by, id),
          order: orderOf(store, by, id),
        },
      })),
      ...(others.length > 0
        ? [
            {
              ...sumsOf(others.map(([, sums]) => sums).reduce(addSums)),
              ...{ kind: 'others' as const, id: null, name: `${others.length} others`, order: null },
            },
          ]
        : []),
    ],
  })
}

type Sums = { count: number; total: bigint; amounts: bigint[] }
const emptySums = (days: number): Sums => ({ count: 0, total: zeroUsdc, amounts: Array<bigint>(days).fill(0n) })

const addSums = (a: Sums, b: Sums): Sums => ({
  count: a.count + b.count,
  total: a.total + b.total,
  amounts: a.amounts.map((amount, i) => amount + b.amounts[i]!),
})

const sumsOf = ({ count, total, amounts }: Sums): Pick<SpendingSeries, 'count' | 'total' | 'amounts'> => ({
  count,
  total: formatUsdc(total),
  amounts: amounts.map(formatUsdc),
})

/** How many agents or groups of the account, deleted ones included, are older. */
function orderOf(store: Store, by: 'agent' | 'group', id: string | null): number | null {
  if (id === null) return null
  const table = by === 'agent' ? 'agent' : 'policy_group'
  return store.count(
    `${table} WHERE (created_at, id) < (SELECT created_at, id FROM ${table} AS own WHERE own.id = ?)`,
    id,
  )
}

/** The name of a series. Deleted agents and groups keep theirs. */
const nameOf = (store: Store, by: 'agent' | 'group', id: string | null): string =>
  id === null ? 'User' : (by === 'agent' ? store.agentName(id) : store.groupName(id)) || 'Unknown'
