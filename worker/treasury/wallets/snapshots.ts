import { logError } from '../../observability/log.ts'
import type { Context, WalletSnapshot } from '../core/context.ts'
import { bookedOf } from '../ledger/balances.ts'
import type { WalletRow } from '../storage/rows.ts'
import { idleOf, markActive } from './idleReads.ts'

const freshMs = 2_000 // one block

/**
 * Returns the wallet's state on chain, read once per block and shared by all callers. `forgetSnapshot` drops it earlier,
 * when the Treasury knows that the wallet has changed. Null if the chain can't be read.
 */
export function getSnapshot(ctx: Context, wallet: WalletRow): Promise<WalletSnapshot | null> {
  const known = ctx.snapshots.get(wallet.id)
  if (known && ctx.now() - known.at < freshMs) return known.value
  markActive(ctx, wallet.id)
  const value = readSnapshot(ctx, wallet).catch((error: unknown) => {
    ctx.snapshots.delete(wallet.id)
    logError('wallet_not_read', { user: ctx.userId, wallet: wallet.id }, error)
    return null
  })
  ctx.snapshots.set(wallet.id, { value, at: ctx.now() })
  return value
}

export function forgetSnapshot(ctx: Context, walletId: string): void {
  ctx.snapshots.delete(walletId)
  ctx.balances.delete(walletId)
}

/** Makes a single call if the wallet has a contract. Throws RpcUnavailable. */
async function readSnapshot(ctx: Context, wallet: WalletRow): Promise<WalletSnapshot> {
  const readAt = ctx.now()
  const chain = ctx.chains[wallet.chain_id]
  const state = wallet.kind === 'smart' ? await chain.walletState(wallet.address) : null
  const balance = state?.balance ?? (await chain.usdcBalance(wallet.address))
  ctx.balances.set(wallet.id, { balance, readAt })
  return { balance, state }
}

/** The wallet's balance on chain in micro-USDC; null if the chain can't be read. */
export const balanceOf = async (ctx: Context, wallet: WalletRow): Promise<bigint | null> =>
  (await getSnapshot(ctx, wallet))?.balance ?? null

/** A balance that was read longer ago is shown as an older one. */
export const currentMs = 30_000 // 30 seconds

/** The wallet's balance as it was last read: alone, or with the logs that are in the books. `readAt` in ms. */
export function lastBalance(ctx: Context, wallet: WalletRow): { balance: bigint; readAt: number } {
  const alone = ctx.balances.get(wallet.id)
  const { logs_read_at } = idleOf(ctx, wallet.id)
  // Books are a few blocks behind: a deposit that was seen must not disappear again.
  if (alone && (alone.readAt >= logs_read_at || ctx.now() - alone.readAt <= currentMs)) return alone
  return { balance: bookedOf(wallet), readAt: Math.max(logs_read_at, wallet.created_at) }
}
