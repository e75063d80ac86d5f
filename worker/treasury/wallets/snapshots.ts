import { logError } from '../../observability/log.ts'
import type { Context, WalletSnapshot } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'
import { markActive } from './idleReads.ts'

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
    forgetSnapshot(ctx, wallet.id)
    logError('wallet_not_read', { user: ctx.userId, wallet: wallet.id }, error)
    return null
  })
  ctx.snapshots.set(wallet.id, { value, at: ctx.now() })
  return value
}

export function forgetSnapshot(ctx: Context, walletId: string): void {
  ctx.snapshots.delete(walletId)
}

/** Makes a single call if the wallet has a contract. Throws RpcUnavailable. */
async function readSnapshot(ctx: Context, wallet: WalletRow): Promise<WalletSnapshot> {
  const chain = ctx.chains[wallet.chain_id]
  const state = wallet.kind === 'smart' ? await chain.walletState(wallet.address) : null
  return { balance: state?.balance ?? (await chain.usdcBalance(wallet.address)), state }
}

/** The wallet's balance on chain in micro-USDC; null if the chain can't be read. */
export const balanceOf = async (ctx: Context, wallet: WalletRow): Promise<bigint | null> =>
  (await getSnapshot(ctx, wallet))?.balance ?? null
