import { stepGas, utcDay } from '#domain/gasAllowance.ts'
import { formatUsdc, type MicroUsdc, microUsdc, saturatingSub, zeroUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { lastsUntil, monthOf, percentUsed } from '#domain/statistics.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { KeyBudget, MonthBudget, Usage } from '#schemas/usage.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { Context } from '../core/context.ts'
import { formatColumn, fromColumn } from '../core/storage/columns.ts'
import type { AgentRow, GroupRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { heldOf } from '../ledger/balances.ts'
import { gasAllowance } from '../limits/gas.ts'

/** Spending is forecast from the last 30 days, beginning with a whole UTC day. */
const paceFrom = (now: number) => utcDay(now - 30 * dayMs) * dayMs

/** Spending in the current UTC month, by wallet, group and agent. Deleted wallets count in the total. */
export function usageOf(ctx: Context): Usage {
  const { store } = ctx
  const primary = primaryChain(ctx.env)
  const now = ctx.now()
  const { month, startsAt, endsAt } = monthOf(now)
  const previous = monthOf(startsAt - 1)
  const spent = spentBy(store, 'wallet_id', startsAt)
  const spentBefore = spentBy(store, 'wallet_id', previous.startsAt, startsAt)
  const pace = spentBy(store, 'group_id', paceFrom(now))
  const wallets = store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY created_at")
  const keys = wallets
    .filter((wallet) => wallet.chain_id === primary && wallet.status === 'active' && wallet.kind === 'smart')
    .map((wallet) => sessionKey(store, wallet, now) ?? noKey)
  const all = keys.length === 0 ? null : keys.reduce(addKeys)
  const onPrimary = (of: Spent) =>
    store
      .all<{ id: string }>('SELECT id FROM wallet WHERE chain_id = ?', primary)
      .reduce((sum, { id }) => sum + (of.get(id) ?? zeroUsdc), 0n)
  const gas = gasAllowance(ctx, null)
  return {
    globalBudget: {
      ...monthBudget(onPrimary(spent), all),
      currentPeriod: month,
      periodStart: isoOf(startsAt),
      periodEnd: isoOf(endsAt),
      previous: {
        period: previous.month,
        periodStart: isoOf(previous.startsAt),
        spent: formatUsdc(onPrimary(spentBefore)),
      },
    },
    sessionKeys: all && keyBudget(all),
    gasAllowance: { ...gas, payments: Math.floor(gas.remaining / stepGas.send) },
    wallets: wallets.map((wallet) => {
      const key = sessionKey(store, wallet, now)
      return {
        id: wallet.id,
        name: wallet.name,
        address: wallet.address,
        chain: chainNameOf(wallet.chain_id),
        sessionKeyBudget: monthBudget(spent.get(wallet.id) ?? zeroUsdc, key),
        sessionKey: key && keyBudget(key),
        policyGroups: groupsOf(store, wallet, pace, now),
      }
    }),
  }
}

const against = (spent: bigint, limit: bigint | null) => ({
  limit: limit === null ? null : formatUsdc(limit),
  percentUsed: limit === null ? null : percentUsed(spent, limit),
})

const monthBudget = (spent: bigint, key: SessionKey | null): MonthBudget => ({
  currentSpent: formatUsdc(spent),
  ...against(spent, key?.limit ?? null),
  remaining: key && formatUsdc(saturatingSub(key.limit, spent)),
})

const keyBudget = ({ limit, used, endsAt }: SessionKey): KeyBudget => ({
  limit: formatUsdc(limit),
  used: formatUsdc(used),
  remaining: formatUsdc(saturatingSub(limit, used)),
  percentUsed: percentUsed(used, limit),
  endsAt: isoOf(endsAt),
})

type Spent = Map<string | null, MicroUsdc>

/** `since` and `until`: the starts of UTC days, in ms. */
function spentBy(
  store: Store,
  column: 'wallet_id' | 'group_id',
  since: number,
  until = Number.MAX_SAFE_INTEGER,
): Spent {
  const rows = store.all<{ id: string | null; sum: number }>(
    `SELECT nullif(${column}, '') AS id, sum(amount) AS sum FROM spent_day WHERE day >= ? AND day < ? GROUP BY 1`,
    utcDay(since),
    utcDay(until),
  )
  return new Map(rows.map(({ id, sum }) => [id, fromColumn(sum)]))
}

/** `used` with what is held; `endsAt` in ms, null if it is not valid. */
type SessionKey = { limit: bigint; used: bigint; endsAt: number | null }
const noKey: SessionKey = { limit: 0n, used: 0n, endsAt: null }

const addKeys = (a: SessionKey, b: SessionKey): SessionKey => ({
  limit: a.limit + b.limit,
  used: a.used + b.used,
  endsAt: a.endsAt === null || b.endsAt === null ? (a.endsAt ?? b.endsAt) : Math.min(a.endsAt, b.endsAt),
})

/**
 * What the valid session key may pay in all, and what it has used, also after a rotation within the month; nothing if there
 * is none. Null for an imported wallet, which has no limit.
 */
function sessionKey(store: Store, wallet: WalletRow, now: number): SessionKey | null {
  if (wallet.kind === 'imported') return null
  const session = store.session(wallet.id)
  const endsAt = session === null ? 0 : session.valid_until * 1000
  if (session === null || endsAt < now) return noKey
  const used = fromColumn(session.used) + heldOf(store, session)
  return { limit: fromColumn(session.spend_limit), used, endsAt }
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
