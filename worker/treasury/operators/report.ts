import { parseLimits } from '#domain/limits.ts'
import type { Context } from '../core/context.ts'
import { gasAllowance } from '../limits/gas.ts'
import type { AuditRow } from '../storage/rows.ts'
import { statusIn } from '../storage/statuses.ts'
import type { AccountReport, AuditEntry, UserLimits } from './rpcTypes.ts'
import { stuckWork } from './stuck.ts'

/** Limits that an operator has set for this account. */
export const limitsSet = ({ store }: Context): UserLimits => parseLimits(store.meta('limits'))

/** The account as operators see it: figures and states, no names, addresses or recipients. */
export async function accountReport(ctx: Context): Promise<AccountReport> {
  const { store } = ctx
  const { limit, used } = gasAllowance(ctx, null)
  return {
    suspension: store.suspension,
    agentsPaused: store.accountPaused,
    limits: limitsSet(ctx),
    gas: { limit, used },
    counts: {
      wallets: store.count("wallet WHERE status <> 'deleted'"),
      agents: store.count('agent WHERE deleted_at IS NULL'),
      openPayments: store.count(`payment WHERE status IN ${statusIn.unsettled}`),
      openPayouts: store.count("payout WHERE status IN ('CREATING','CREATED','CLAIMING','RECLAIMING')"),
    },
    stuck: await stuckWork(ctx),
  }
}

const pageSize = 100

/** Rows that are older than the row `before`, newest first. */
export function readAudit({ store }: Context, before: number | null): AuditEntry[] {
  return store
    .all<Omit<AuditRow, 'previous' | 'hash'>>(
      'SELECT seq, at, event, ref, data FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?',
      before ?? Number.MAX_SAFE_INTEGER,
      pageSize,
    )
    .map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> }))
}
