import type { Hex, WalletState } from '../../chain/types.ts'
import { digestOf } from '../../chain/watchReader.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'

/** `digest` changes when money moves or the session does. An imported wallet has no state but its balance (micro-USDC). */
export type Look = { state: WalletState | null; balance: bigint; digest: Hex }

/** Reads the wallet at the newest block, or at a given one: one call, unless it is not deployed there. Throws RpcUnavailable. */
export async function look(ctx: Context, wallet: WalletRow, atBlock?: number): Promise<Look> {
  const chain = ctx.chains[wallet.chain_id]
  const state = wallet.kind === 'imported' ? null : await chain.walletState(wallet.address, atBlock)
  const balance = state?.balance ?? (await chain.usdcBalance(wallet.address, atBlock))
  return { state, balance, digest: digestOf(state, balance) }
}
