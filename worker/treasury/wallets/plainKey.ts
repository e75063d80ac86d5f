import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import type { WalletRow } from '../storage/rows.ts'

/** How long a check that the account has no code remains valid: EIP-7702 lets a plain key get code at any time. */
const plainForMs = 30_000 // 30 seconds

export const hasCode = 'the account has contract code'

/** True if the account had no code a moment ago: USDC then checks the key's own signature, and no contract can approve. */
export const isPlainKey = (ctx: Context, wallet: WalletRow): boolean =>
  ctx.now() - (ctx.plainKeys.get(wallet.id) ?? 0) < plainForMs

/** Halts the wallet while its account has code, so that nothing is signed for it. Throws RpcUnavailable. */
export async function checkPlainKey(ctx: Context, wallet: WalletRow): Promise<void> {
  const code = await ctx.chains[wallet.chain_id].code(wallet.address)
  ctx.store.transaction(() => {
    const [now, was] = code === '0x' ? [null, hasCode] : [hasCode, null]
    if (code === '0x') ctx.plainKeys.set(wallet.id, ctx.now())
    else ctx.plainKeys.delete(wallet.id)
    const changed = ctx.store.run('UPDATE wallet SET halted = ? WHERE id = ? AND halted IS ?', now, wallet.id, was)
    if (changed > 0)
      audit(ctx.store, ctx.now(), now ? 'wallet.halted' : 'wallet.resumed', wallet.id, { reason: hasCode })
  })
}
