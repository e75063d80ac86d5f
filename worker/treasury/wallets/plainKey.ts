import type { Context } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'
import { halt, liftHalt } from './walletHalts.ts'

/** How long a check that the account has no code remains valid: EIP-7702 lets a plain key get code at any time. */
const plainForMs = 30_000 // 30 seconds

/** True if the account had no code a moment ago: USDC then checks the key's own signature, and no contract can approve. */
export const isPlainKey = (ctx: Context, wallet: WalletRow): boolean =>
  ctx.now() - (ctx.plainKeys.get(wallet.id) ?? 0) < plainForMs

/** Halts the wallet while its account has code, so that nothing is signed for it. Throws RpcUnavailable. */
export async function checkPlainKey(ctx: Context, wallet: WalletRow): Promise<void> {
  const code = await ctx.chains[wallet.chain_id].code(wallet.address)
  const isPlain = code === '0x'
  if (isPlain) ctx.plainKeys.set(wallet.id, ctx.now())
  else ctx.plainKeys.delete(wallet.id)
  ctx.store.transaction(() => {
    if (isPlain) return liftHalt(ctx, wallet.id, 'code')
    if (ctx.store.wallet(wallet.id)?.halt_kind === null) halt(ctx, wallet.id, 'code', 'its account has contract code')
  })
}
