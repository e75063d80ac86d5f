import { formatUsdc } from '#domain/money.ts'
import { percentUsed } from '#domain/statistics.ts'
import type { Overview } from '#schemas/overview.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import type { Context } from '../core/context.ts'
import { agentView } from '../policies/views.ts'
import { formatColumn, fromColumn } from '../storage/columns.ts'
import type { AgentRow, GroupRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'
import { endingKeys } from '../wallets/endingKeys.ts'
import { balanceOf } from '../wallets/snapshots.ts'
import type { AccountFigures } from './rpcTypes.ts'

/** Sums and counts cover wallets on the primary network; money on the other network is shown separately. */
const isPrimary = (ctx: Context) => `wallet.chain_id = ${primaryChain(ctx.env)}`
/** Agents that are not deleted, not paused and not in a paused group. A paused account has none. */
const activeAgents = `agent JOIN policy_group ON policy_group.id = agent.group_id
  WHERE agent.deleted_at IS NULL AND agent.paused = 0 AND policy_group.paused = 0`

/** What the overview takes from the Treasury. */
export const overview = async (ctx: Context): Promise<AccountFigures> => ({
  totalBalance: await totalBalance(ctx),
  ...figures(ctx),
})

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
export function figures(ctx: Context): Omit<AccountFigures, 'totalBalance'> {
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
    prunedRefusals: store.meta('pruned_refusals') ?? 0,
    held: formatUsdc(
      BigInt(
        store.first<{ sum: number | null }>(`SELECT sum(held) AS sum FROM wallet WHERE ${isPrimary(ctx)}`)!.sum ?? 0,
      ),
    ),
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
