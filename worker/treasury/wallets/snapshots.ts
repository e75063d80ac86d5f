import type { WalletState } from '../../chain/types.ts'
import { logError } from '../../observability/log.ts'
import type { Context } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { bookedOf } from '../ledger/balances.ts'
import { idleOf, markActive } from './idleReads.ts'

/** A wallet as read from the chain once. `state` is null for imported and undeployed wallets. */
export type WalletSnapshot = { balance: bigint; state: WalletState | null }

/** Latest on-chain snapshot by wallet id, and when it was read (ms). Null if it could not be read. */
export const snapshots = inMemory(() => new Map<string, { value: Promise<WalletSnapshot | null>; at: number }>())
/** Balance in the latest one that was read, by wallet id, and when that reading began (ms). */
const balances = inMemory(() => new Map<string, { balance: bigint; readAt: number }>())

const freshMs = 2_000 // one block

/**
 * Returns the wallet's state on chain, read once per block and shared by all callers. `forgetSnapshot` drops it earlier,
 * when the Treasury knows that the wallet has changed. Null if the chain can't be read.
 */
export function getSnapshot(ctx: Context, wallet: WalletRow): Promise<WalletSnapshot | null> {
  const known = snapshots(ctx).get(wallet.id)
  if (known && ctx.now() - known.at < freshMs) return known.value
  markActive(ctx, wallet.id)
  const value = readSnapshot(ctx, wallet).catch((error: unknown) => {
    snapshots(ctx).delete(wallet.id)
    logError('wallet_not_read', { user: ctx.userId, wallet: wallet.id }, error)
    return null
  })
  snapshots(ctx).set(wallet.id, { value, at: ctx.now() })
  return value
}

export function forgetSnapshot(ctx: Context, walletId: string): void {
  snapshots(ctx).delete(walletId)
  balances(ctx).delete(walletId)
}

/** Makes a single call if the wallet has a contract. Throws RpcUnavailable. */
async function readSnapshot(ctx: Context, wallet: WalletRow): Promise<WalletSnapshot> {
  const readAt = ctx.now()
  const chain = ctx.chains[wallet.chain_id]
  const state = wallet.kind === 'smart' ? await chain.walletState(wallet.address) : null
  const balance = state?.balance ?? (await chain.usdcBalance(wallet.address))
  balances(ctx).set(wallet.id, { balance, readAt })
  return { balance, state }
}

/** The wallet's balance on chain in micro-USDC; null if the chain can't be read. */
export const balanceOf = async (ctx: Context, wallet: WalletRow): Promise<bigint | null> =>
  (await getSnapshot(ctx, wallet))?.balance ?? null

/** A balance that was read longer ago is shown as an older one. */
export const currentMs = 30_000 // 30 seconds

/** The wallet's balance as it was last read: alone, or with the logs that are in the books. `readAt` in ms. */
export function lastBalance(ctx: Context, wallet: WalletRow): { balance: bigint; readAt: number } {
  const alone = balances(ctx).get(wallet.id)
  const { logs_read_at } = idleOf(ctx, wallet.id)
  // Books are a few blocks behind: a deposit that was seen must not disappear again.
  if (alone && (alone.readAt >= logs_read_at || ctx.now() - alone.readAt <= currentMs)) return alone
  return { balance: bookedOf(wallet), readAt: Math.max(logs_read_at, wallet.created_at) }
}
