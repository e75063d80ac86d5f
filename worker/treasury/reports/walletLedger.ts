import { formatUsdc } from '#domain/money.ts'
import type { WalletLedger } from '#schemas/wallet.ts'
import type { Address } from '../../chain/types.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { availableOf, escrowedOf, spentOf } from '../ledger/balances.ts'
import type { WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'
import { balanceOf, forgetSnapshot } from '../wallets/snapshots.ts'

/** The wallet's ledger next to its on-chain balance, after a fresh reading of the chain. */
export async function currentLedger(ctx: Context, walletId: string): Promise<Result<WalletLedger>> {
  const { store } = ctx
  const wallet = store.liveWallet(walletId)
  if (!wallet) return notFound('Wallet')
  await ctx.refreshWallet(wallet)
  forgetSnapshot(ctx, walletId)
  const balance = await balanceOf(ctx, wallet)
  return ok(walletLedger(store, store.wallet(walletId)!, balance))
}

function walletLedger(store: Store, wallet: WalletRow, balance: bigint | null): WalletLedger {
  return {
    walletId: wallet.id,
    address: wallet.address as Address,
    deposits: formatUsdc(BigInt(wallet.deposits)),
    returns: formatUsdc(BigInt(wallet.returns)),
    out: formatUsdc(BigInt(wallet.out)),
    withdrawn: formatUsdc(BigInt(wallet.withdrawn)),
    held: formatUsdc(BigInt(wallet.held)),
    available: formatUsdc(availableOf(wallet)),
    escrowed: formatUsdc(escrowedOf(store, wallet.id)),
    spent: formatUsdc(spentOf(store, wallet.id)),
    chainBalance: balance === null ? null : formatUsdc(balance),
    scannedBlock: wallet.scanned_block,
  }
}
