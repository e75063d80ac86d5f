import { ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { findReplay, type IdempotentRequest } from '../ledger/idempotency.ts'

/** Maximum number of wallets that are active at a time, and of wallets created per UTC month. */
const maxActiveWallets = 6

const maxWalletsPerMonth = 10

/** The reason why no wallet can be added now, or null. Imported wallets count; deleting one frees an active place only. */
export function walletLimitProblem(ctx: Context): string | null {
  const now = new Date(ctx.now())
  const monthStart = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const count = ctx.store.first<{ active: number; month: number }>(
    "SELECT sum(status IN ('deploying','active')) AS active, sum(created_at >= ?) AS month FROM wallet",
    monthStart,
  )!
  if ((count.active ?? 0) >= maxActiveWallets)
    return `You have reached the maximum of ${maxActiveWallets} active wallets.`
  if ((count.month ?? 0) >= maxWalletsPerMonth)
    return `You have reached the monthly wallet creation limit of ${maxWalletsPerMonth}.`
  return null
}

/** The wallet that an earlier request with this idempotency key created; null if there was none. */
export function walletReplay(store: Store, request: IdempotentRequest | null): Result<WalletRow> | null {
  const replay = findReplay(store, request)
  return replay && (replay.ok ? ok(store.wallet(replay.value)!) : replay)
}
