import { formatUsdc } from '#domain/money.ts'
import type { Wallet } from '#schemas/wallet.ts'
import { primaryChain } from '../../chain/networkSettings.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { Context } from '../context.ts'
import type { WalletRow } from '../storage/rows.ts'
import { balanceOf, getSnapshot } from './snapshots.ts'
import { walletView } from './views.ts'

/** Every wallet that was not deleted, newest first, as the chain shows it now. */
export async function listWallets(ctx: Context): Promise<Wallet[]> {
  const rows = ctx.store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY created_at DESC")
  return Promise.all(rows.map((row) => showWallet(ctx, row)))
}

/** The wallet as the chain shows it now, and as its row is after that. */
export async function showWallet(ctx: Context, row: WalletRow): Promise<Wallet> {
  const snapshot = await getSnapshot(ctx, row)
  return walletView(ctx, ctx.store.wallet(row.id) ?? row, snapshot)
}

/** An active wallet of the user on the primary network with this address? */
export const hasActiveWallet = (ctx: Context, address: string): boolean =>
  ctx.store.first(
    "SELECT 1 FROM wallet WHERE address = ? COLLATE NOCASE AND chain_id = ? AND status = 'active'",
    address,
    primaryChain(ctx.env),
  ) !== null

/** Decimal USDC on chain; null when it can't be read. */
export async function walletBalance(ctx: Context, walletId: string): Promise<Result<string | null>> {
  const wallet = ctx.store.liveWallet(walletId)
  if (!wallet) return notFound('Wallet')
  const balance = await balanceOf(ctx, wallet)
  return ok(balance === null ? null : formatUsdc(balance))
}
