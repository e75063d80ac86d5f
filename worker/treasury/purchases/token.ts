import type { Token } from '#domain/x402/chooseOffer.ts'
import { usdcDomain } from '../../chain/authorization.ts'
import type { Hex } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'

/** USDC on the wallet's chain, as its EIP-712 domain names it. */
export type KnownToken = Token & { separator: Hex }

export const knownToken = (ctx: Context, { chain_id }: Pick<WalletRow, 'chain_id'>): KnownToken | null =>
  ctx.tokens.get(chain_id) ?? null

/** Reads it once. Null if the token's domain is not one that Circle uses. Throws RpcUnavailable. */
export async function readToken(ctx: Context, wallet: Pick<WalletRow, 'chain_id'>): Promise<KnownToken | null> {
  const known = knownToken(ctx, wallet)
  if (known) return known
  const chain = ctx.chains[wallet.chain_id]
  const domain = await usdcDomain(chain)
  if (!domain) return null
  const token = { chainId: wallet.chain_id, address: chain.usdc, ...domain }
  ctx.tokens.set(wallet.chain_id, token)
  return token
}
