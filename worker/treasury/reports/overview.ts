import { formatUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { percentUsed } from '#domain/statistics.ts'
import { isoOf } from '#domain/time.ts'
import type { AccountFigures, Overview, OverviewBalance } from '#schemas/overview.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { ChainId } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { formatColumn, fromColumn } from '../core/storage/columns.ts'
import type { AgentRow, GroupRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { agentView } from '../policies/views.ts'
import { endingKeys } from '../wallets/endingKeys.ts'
import { currentMs, getSnapshot, lastBalance } from '../wallets/snapshots.ts'

/** Sums and counts cover wallets on the primary network; money on the other network is shown separately. */
const isPrimary = (ctx: Context) => `wallet.chain_id = ${primaryChain(ctx.env)}`
/** Agents that are not deleted, not paused and not in a paused group. A paused account has none. */
const activeAgents = `agent JOIN policy_group ON policy_group.id = agent.group_id
  WHERE agent.deleted_at IS NULL AND agent.paused = 0 AND policy_group.paused = 0`

/** What the overview takes from the Treasury. Asks nobody: balances are those that were last read. */
export const overview = (ctx: Context): AccountFigures => ({ ...totalBalance(ctx), ...figures(ctx) })

/** Reads the wallets first. Those that can't be read keep the balance of their last reading. */
export async function currentBalance(ctx: Context): Promise<OverviewBalance> {
  await Promise.all(activeWallets(ctx).map((wallet) => getSnapshot(ctx, wallet)))
  return totalBalance(ctx)
}

const activeWallets = (ctx: Context) =>
  ctx.store.all<WalletRow>(`SELECT * FROM wallet WHERE ${isPrimary(ctx)} AND status = 'active'`)

function totalBalance(ctx: Context): OverviewBalance {
  const now = ctx.now()
  const balances = activeWallets(ctx).map((wallet) => lastBalance(ctx, wallet))
  const readAt = Math.min(now, ...balances.map((each) => each.readAt))
  return {
    totalBalance: formatUsdc(balances.reduce((sum, { balance }) => sum + balance, 0n)),
    balanceAsOf: now - readAt <= currentMs ? null : isoOf(readAt),
  }
}

/** All figures except the balance. */
export function figures(ctx: Context): Omit<AccountFigures, keyof OverviewBalance> {
  const { store } = ctx
  const wallets = store.all<WalletRow>(
    `SELECT * FROM wallet WHERE ${isPrimary(ctx)} AND status <> 'deleted' ORDER BY created_at`,
  )
  const canPay = ({ status, paused, halt_kind }: WalletRow) => status === 'active' && paused === 0 && halt_kind === null
  return {
    wallets: wallets.map(({ id, name, address }) => ({ id, name, address })),
    payingWalletId: wallets.find(canPay)?.id ?? null,
    groupCount: store.count('policy_group WHERE deleted_at IS NULL'),
    agentCount: store.count('agent WHERE deleted_at IS NULL'),
    activeAgentCount: store.accountPaused ? 0 : store.count(activeAgents),
    activeAgents: store.accountPaused
      ? []
      : store
          .all<AgentRow>(
            `SELECT agent.* FROM ${activeAgents}
             ORDER BY agent.last_activity_at IS NULL, agent.last_activity_at DESC, agent.created_at DESC LIMIT 3`,
          )
          .map((agent) => agentView(ctx, agent)),
    endingKeys: endingKeys(ctx),
    budgets: budgets(store),
  }
}

/** The five groups that have used the largest share of their limit. */
function budgets(store: Store): Overview['budgets'] {
  return store
    .all<GroupRow & { spend_limit: number; chain_id: ChainId }>(
      `SELECT policy_group.*, wallet.chain_id FROM policy_group JOIN wallet ON wallet.id = wallet_id
       WHERE deleted_at IS NULL AND spend_limit IS NOT NULL ORDER BY (spent + policy_group.held) * 1.0 / spend_limit DESC LIMIT 5`,
    )
    .map((group) => ({
      id: group.id,
      name: group.name,
      chain: chainNameOf(group.chain_id),
      limit: formatColumn(group.spend_limit),
      spent: formatColumn(group.spent),
      held: formatColumn(group.held),
      percentUsed: percentUsed(fromColumn(group.spent) + fromColumn(group.held), fromColumn(group.spend_limit)),
    }))
}
