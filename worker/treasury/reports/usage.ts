import { stepGas, utcDay } from '#domain/gasAllowance.ts'
import { formatUsdc, type MicroUsdc, microUsdc, saturatingSub, zeroUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { lastsUntil, monthOf, percentUsed } from '#domain/statistics.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Usage } from '#schemas/usage.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { Context } from '../core/context.ts'
import { gasAllowance } from '../limits/gas.ts'
import { formatColumn, fromColumn } from '../storage/columns.ts'
import type { AgentRow, GroupRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

/** Spending is forecast from the last 30 days, beginning with a whole UTC day. */
const paceFrom = (now: number) => utcDay(now - 30 * dayMs) * dayMs

/** Spending in the current UTC month, by wallet, group and agent. Deleted wallets count in the total. */
export function usageOf(ctx: Context): Usage {
  const { store } = ctx
  const primary = primaryChain(ctx.env)
  const now = ctx.now()
  const { month, startsAt, endsAt } = monthOf(now)
  const spent = spentBy(store, 'wallet_id', startsAt)
  const pace = spentBy(store, 'group_id', paceFrom(now))
  const wallets = store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY created_at")
  const keys = wallets
    .filter((wallet) => wallet.chain_id === primary && wallet.status === 'active' && wallet.kind === 'smart')
    .map((wallet) => sessionKey(store, wallet, now) ?? noKey)
  const limit = keys.length === 0 ? null : sumOf(keys.map((key) => key.limit))
  const currentSpent = store
    .all<{ id: string }>('SELECT id FROM wallet WHERE chain_id = ?', primary)
    .reduce((sum, { id }) => sum + (spent.get(id) ?? zeroUsdc), 0n)
  const gas = gasAllowance(ctx, null)
  return {
    globalBudget: {
      currentSpent: formatUsdc(currentSpent),
      ...against(currentSpent, limit),
      remaining: limit === null ? null : formatUsdc(sumOf(keys.map((key) => key.remaining))),
      currentPeriod: month,
      periodStart: isoOf(startsAt),
      periodEnd: isoOf(endsAt),
    },
    gasAllowance: { ...gas, payments: Math.floor(gas.remaining / stepGas.send) },
    wallets: wallets.map((wallet) => {
      const used = spent.get(wallet.id) ?? zeroUsdc
      const key = sessionKey(store, wallet, now)
      return {
        id: wallet.id,
        name: wallet.name,
        address: wallet.address,
        chain: chainNameOf(wallet.chain_id),
        sessionKeyBudget: {
          currentSpent: formatUsdc(used),
          ...against(used, key?.limit ?? null),
          remaining: key && formatUsdc(key.remaining),
        },
        policyGroups: groupsOf(store, wallet, pace, now),
      }
    }),
  }
}

const against = (spent: bigint, limit: bigint | null) => ({
  limit: limit === null ? null : formatUsdc(limit),
  percentUsed: limit === null ? null : percentUsed(spent, limit),
})

type Spent = Map<string | null, MicroUsdc>

/** `since`: the start of a UTC day, in ms. */
function spentBy(store: Store, column: 'wallet_id' | 'group_id', since: number): Spent {
  const rows = store.all<{ id: string | null; sum: number }>(
    `SELECT nullif(${column}, '') AS id, sum(amount) AS sum FROM spent_day WHERE day >= ? GROUP BY 1`,
    utcDay(since),
  )
  return new Map(rows.map(({ id, sum }) => [id, fromColumn(sum)]))
}

type SessionKey = { limit: bigint; remaining: bigint }
const noKey: SessionKey = { limit: 0n, remaining: 0n }
const sumOf = (amounts: bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n)

/**
 * What the valid session key may pay in all, and what is left of it, also after a rotation within the month; nothing if there
 * is none. Null for an imported wallet, which has no limit.
 */
function sessionKey(store: Store, wallet: WalletRow, now: number): SessionKey | null {
  if (wallet.kind === 'imported') return null
  const session = store.session(wallet.id)
  if (!session || session.valid_until * 1000 < now) return noKey
  const [limit, used] = [fromColumn(session.spend_limit), fromColumn(session.used) + fromColumn(session.held)]
  return { limit, remaining: saturatingSub(limit, used) }
}

function groupsOf(store: Store, wallet: WalletRow, pace: Spent, now: number): Usage['wallets'][number]['policyGroups'] {
  return store
    .all<GroupRow>(
      'SELECT * FROM policy_group WHERE wallet_id = ? AND deleted_at IS NULL ORDER BY created_at',
      wallet.id,
    )
    .map((group) => {
      const limit = group.spend_limit === null ? null : fromColumn(group.spend_limit)
      const used = microUsdc(fromColumn(group.spent) + fromColumn(group.held))
      const left = limit === null ? null : saturatingSub(limit, used)
      return {
        id: group.id,
        name: group.name,
        budget: {
          hasLimit: limit !== null,
          currentSpent: formatColumn(group.spent),
          held: formatColumn(group.held),
          ...against(used, limit),
          remaining: left === null ? null : formatUsdc(left),
          lastsUntil: left === null ? null : forecast(group, pace.get(group.id) ?? zeroUsdc, left, now),
        },
        agents: store
          .all<AgentRow>('SELECT * FROM agent WHERE group_id = ? AND deleted_at IS NULL ORDER BY created_at', group.id)
          .map((agent) => ({
            id: agent.id,
            name: agent.name,
            status: agent.paused ? ('paused' as const) : ('active' as const),
            transactionCount: agent.payments,
            totalSpent: formatColumn(agent.spent),
          })),
      }
    })
}

/** `spent`: since `paceFrom`, or since the group was created. */
function forecast(group: GroupRow, spent: MicroUsdc, left: MicroUsdc, now: number): string | null {
  const since = Math.max(group.created_at, paceFrom(now))
  return isoOf(lastsUntil(spent, now - since, left, now))
}
