import type { WalletState } from '../../../chain/types.ts'
import { notFound, ok, type Result, refuse } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import type { WalletRow } from '../../storage/rows.ts'
import { readSession } from '../session.ts'

/** Returns an active smart wallet of this user and its latest state on chain, after updating the session table. */
export async function activeSmartWallet(
  ctx: Context,
  walletId: string,
): Promise<Result<{ wallet: WalletRow; state: WalletState }>> {
  const wallet = ctx.store.liveWallet(walletId)
  if (wallet?.kind !== 'smart') return notFound('Wallet')
  const state = wallet.status === 'active' ? ((await readSession(ctx, wallet))?.latest ?? null) : null
  if (!state) return refuse('wallet_not_ready', 'The wallet is not ready yet.')
  return ok({ wallet, state })
}
