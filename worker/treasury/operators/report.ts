import type { Context } from '../core/context.ts'
import { gasAllowance } from '../limits/gas.ts'
import { statusIn } from '../storage/statuses.ts'
import type { AccountReport, AuditEntry } from './rpcTypes.ts'
import { stuckWork } from './stuck.ts'
import { limitsSet } from './userLimits.ts'

/** The account as operators see it: figures and states, no names, addresses or recipients. */
export async function accountReport(ctx: Context): Promise<AccountReport> {
  const { store } = ctx
  const count = (query: string) => store.first<{ n: number }>(`SELECT count(*) AS n FROM ${query}`)!.n
  const { limit, used } = gasAllowance(ctx, null)
  return {
    suspension: ctx.store.suspension,
    agentsPaused: store.accountPaused,
    limits: limitsSet(ctx),
    gas: { limit, used },
    counts: {
      wallets: count("wallet WHERE status <> 'deleted'"),
      agents: count('agent WHERE deleted_at IS NULL'),
      openPayments: count(`payment WHERE status IN ${statusIn.unsettled}`),
      openPayouts: count("payout WHERE status IN ('CREATING','CREATED','CLAIMING','RECLAIMING')"),
    },
    stuck: await stuckWork(ctx),
  }
}

const pageSize = 100

/** Rows that are older than the row `before`, newest first. */
export function readAudit({ store }: Context, before: number | null): AuditEntry[] {
  return store
    .all<{ seq: number; at: number; event: string; ref: string; data: string }>(
      'SELECT seq, at, event, ref, data FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?',
      before ?? Number.MAX_SAFE_INTEGER,
      pageSize,
    )
    .map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> }))
}
