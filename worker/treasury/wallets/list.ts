import { formatUsdc } from '#domain/money.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { bookedOf } from '../ledger/balances.ts'
import type { WalletRow } from '../storage/rows.ts'
import { balanceOf, getSnapshot } from './snapshots.ts'
import { walletView } from './views.ts'

const freshEnoughMs = 2_000 // one block

/** All wallets that are not deleted, newest first, with their current state on chain. */
export async function listWallets(ctx: Context): Promise<Wallet[]> {
  const rows = ctx.store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY created_at DESC")
  return Promise.all(rows.map((row) => showWallet(ctx, row)))
}

/** Returns the view of a wallet from its current state on chain and its row, which is updated first if they disagree. */
export async function showWallet(ctx: Context, row: WalletRow): Promise<Wallet> {
  const snapshot = await getSnapshot(ctx, row)
  // Otherwise an old deposit could still be shown as arriving: books are updated often only while payments are open.
  if (row.status === 'active' && snapshot && snapshot.balance !== bookedOf(ctx.store.wallet(row.id) ?? row))
    await ctx.refreshWallet(row, freshEnoughMs)
  return walletView(ctx, ctx.store.wallet(row.id) ?? row, snapshot)
}

/** True if the user has an active wallet with this address on the primary network. */
export const hasActiveWallet = (ctx: Context, address: string): boolean =>
  ctx.store.first(
    "SELECT 1 FROM wallet WHERE address = ? COLLATE NOCASE AND chain_id = ? AND status = 'active'",
    address,
    primaryChain(ctx.env),
  ) !== null

/** The wallet's balance on chain in decimal USDC; null if it can't be read. */
export async function walletBalance(ctx: Context, walletId: string): Promise<Result<string | null>> {
  const wallet = ctx.store.liveWallet(walletId)
  if (!wallet) return notFound('Wallet')
  const balance = await balanceOf(ctx, wallet)
  return ok(balance === null ? null : formatUsdc(balance))
}
