import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import type { WalletRow } from '../storage/rows.ts'

/** How long the account counts as free of code after it was read: EIP-7702 lets a key get code at any time. */
const plainForMs = 30_000 // 30 seconds

export const hasCode = 'the account has contract code'

/** Was the account without code a moment ago? Then USDC checks the key's own signature, and no contract can approve for it. */
export const isPlainKey = (ctx: Context, wallet: WalletRow): boolean =>
  ctx.now() - (ctx.plainKeys.get(wallet.id) ?? 0) < plainForMs

/** Nothing is signed for an account while it has code. Throws RpcUnavailable. */
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
