import { formatUsdc } from '#domain/money.ts'
import { averageOf, percentUsed, successRate } from '#domain/statistics.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Overview } from '#schemas/overview.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { Context } from '../core/context.ts'
import { agentView } from '../policies/views.ts'
import { formatColumn, fromColumn } from '../storage/columns.ts'
import type { AgentRow, GroupRow, WalletRow } from '../storage/rows.ts'
import { isDecided, isOpenPayout, listedAt, statusIn } from '../storage/statuses.ts'
import type { Store } from '../storage/store.ts'
import { balanceOf } from '../wallets/snapshots.ts'

const text = (sum: number | bigint | null) => formatUsdc(BigInt(sum ?? 0))

/** Sums and counts cover wallets on the primary network; money on the other network is shown separately. */
const isPrimary = (ctx: Context) => `wallet.chain_id = ${primaryChain(ctx.env)}`
const onPrimary = (ctx: Context) => `wallet_id IN (SELECT id FROM wallet WHERE ${isPrimary(ctx)})`
/** Payments shown as Failed; a reclaimed payout is not one. */
const hasFailed = `status = 'FAILED' OR status IN ${statusIn.refused} OR (status = 'CANCELLED' AND kind = 'send')`
/** Agents that are not deleted, not paused and not in a paused group. A paused account has none. */
const activeAgents = `agent JOIN policy_group ON policy_group.id = agent.group_id
  WHERE agent.deleted_at IS NULL AND agent.paused = 0 AND policy_group.paused = 0`

type Sum = { n: number; sum: number }

/** The data of the overview's widgets, except contacts, which are in D1. */
export async function overview(ctx: Context): Promise<Omit<Overview, 'contactCount'>> {
  return { totalBalance: await totalBalance(ctx), ...figures(ctx) }
}

/** The balance of all active wallets on the primary network, decimal USDC; null if one of them can't be read. */
async function totalBalance(ctx: Context): Promise<string | null> {
  const wallets = ctx.store.all<WalletRow>(`SELECT * FROM wallet WHERE ${isPrimary(ctx)} AND status = 'active'`)
  const balances = await Promise.all(wallets.map((wallet) => balanceOf(ctx, wallet)))
  let total = 0n
  for (const balance of balances) {
    if (balance === null) return null
    total += balance
  }
  return formatUsdc(total)
}

/** All figures except the balance, which is read from the chain. */
export function figures(ctx: Context): Omit<Overview, 'totalBalance' | 'contactCount'> {
  const { store } = ctx
  const now = ctx.now()
  const totals = store.first<{ n: number; confirmed: number; spent: number; failed: number; failed_today: number }>(
    `SELECT count(*) AS n, count(*) FILTER (WHERE status = 'CONFIRMED') AS confirmed,
       coalesce(sum(amount) FILTER (WHERE status = 'CONFIRMED'), 0) AS spent,
       count(*) FILTER (WHERE ${hasFailed}) AS failed,
       count(*) FILTER (WHERE (${hasFailed}) AND ${listedAt} > ?) AS failed_today
     FROM payment WHERE ${isDecided} AND ${onPrimary(ctx)}`,
    now - dayMs,
  )!
  const unclaimed = store.first<Sum>(
    `SELECT count(*) AS n, coalesce(sum(amount), 0) AS sum FROM payout WHERE ${isOpenPayout} AND ${onPrimary(ctx)}`,
  )!
  const pruned = store.meta('pruned_refusals') ?? 0
  const failed = totals.failed + pruned
  const average = averageOf(fromColumn(totals.spent), totals.confirmed)
  return {
    walletCount: store.count(`wallet WHERE ${isPrimary(ctx)} AND status <> 'deleted'`),
    payingWalletId:
      store.first<{ id: string }>(
        `SELECT id FROM wallet WHERE ${isPrimary(ctx)} AND status = 'active' AND paused = 0 AND halt_kind IS NULL
         ORDER BY created_at LIMIT 1`,
      )?.id ?? null,
    groupCount: store.count('policy_group WHERE deleted_at IS NULL'),
    agentCount: store.count('agent WHERE deleted_at IS NULL'),
    activeAgentCount: store.accountPaused ? 0 : store.count(activeAgents),
    transactionCount: totals.n + pruned,
    totalSpent: text(totals.spent),
    held: text(store.first<Sum>(`SELECT sum(held) AS sum FROM wallet WHERE ${isPrimary(ctx)}`)!.sum),
    average: average === null ? null : formatUsdc(average),
    confirmed: totals.confirmed,
    failed,
    successRate: successRate(totals.confirmed, failed),
    failedToday: totals.failed_today,
    pendingPayouts: { count: unclaimed.n, amount: text(unclaimed.sum) },
    methods: methods(ctx),
    topWallets: topWallets(ctx),
    activeAgents: store.accountPaused
      ? []
      : store
          .all<AgentRow>(
            `SELECT agent.* FROM ${activeAgents}
             ORDER BY agent.last_activity_at IS NULL, agent.last_activity_at DESC, agent.created_at DESC LIMIT 3`,
          )
          .map((agent) => agentView(ctx, agent)),
    recipients: recipients(ctx),
    budgets: budgets(store),
  }
}

/** Payments by the way in which the recipient was named; refused payments do not count. */
function methods(ctx: Context): Overview['methods'] {
  const rows = ctx.store.all<Sum & { method: 'address' | 'contact' | 'email' | 'phone' }>(
    `SELECT to_type AS method, count(*) AS n, sum(amount) AS sum FROM payment
     WHERE accepted_at IS NOT NULL AND ${onPrimary(ctx)} GROUP BY 1 ORDER BY n DESC`,
  )
  return rows.map(({ method, n, sum }) => ({ method, count: n, amount: text(sum) }))
}

function topWallets(ctx: Context): Overview['topWallets'] {
  const rows = ctx.store.all<{ id: string; name: string | null; address: string; n: number; sum: number | null }>(
    `SELECT wallet.id, wallet.name, wallet.address, count(payment.id) AS n,
       sum(payment.amount) FILTER (WHERE payment.status = 'CONFIRMED') AS sum
     FROM wallet JOIN payment ON payment.wallet_id = wallet.id AND payment.accepted_at IS NOT NULL
     WHERE ${isPrimary(ctx)} AND wallet.status <> 'deleted' GROUP BY wallet.id ORDER BY n DESC, wallet.created_at LIMIT 3`,
  )
  return rows.map(({ n, sum, ...wallet }) => ({ ...wallet, count: n, spent: text(sum) }))
}

/** The five most recently paid recipients. */
function recipients(ctx: Context): Overview['recipients'] {
  // SQLite takes the columns next to max() from the row that has the maximum: the newest.
  const rows = ctx.store.all<
    Sum & { id: string; contact_id: string | null; name: string | null; recipient: string; at: number }
  >(
    `SELECT id, contact_id, contact_name AS name, coalesce(recipient_email, recipient_phone, to_address) AS recipient,
       count(*) AS n, sum(amount) AS sum, max(accepted_at) AS at FROM payment
     WHERE status IN ${statusIn.alive} AND ${onPrimary(ctx)}
     GROUP BY coalesce(contact_id, recipient_email, recipient_phone, lower(to_address)) ORDER BY at DESC LIMIT 5`,
  )
  return rows.map((row) => ({
    lastPaymentId: row.id,
    contactId: row.contact_id,
    name: row.name,
    recipient: row.recipient,
    count: row.n,
    amount: text(row.sum),
    lastPaidAt: isoOf(row.at),
  }))
}

/** The five groups that have used the largest share of their limit. */
function budgets(store: Store): Overview['budgets'] {
  return store
    .all<GroupRow & { spend_limit: number }>(
      'SELECT * FROM policy_group WHERE deleted_at IS NULL AND spend_limit IS NOT NULL ORDER BY (spent + held) * 1.0 / spend_limit DESC LIMIT 5',
    )
    .map((group) => ({
      id: group.id,
      name: group.name,
      limit: formatColumn(group.spend_limit),
      spent: formatColumn(group.spent),
      held: formatColumn(group.held),
      percentUsed: percentUsed(fromColumn(group.spent) + fromColumn(group.held), fromColumn(group.spend_limit)),
    }))
}
