import type { Token } from '#domain/x402/chooseOffer.ts'
import { type UsdcDomain, usdcDomain } from '../../chain/authorization.ts'
import type { ChainId } from '../../chain/types.ts'
import type { Context } from './context.ts'
import { inMemory } from './memory.ts'
import type { WalletRow } from './storage/rows.ts'

/** USDC's domain by chain, once it was read. */
export const usdcDomains = inMemory(() => new Map<ChainId, UsdcDomain>())

/** USDC on the wallet's chain, as sellers name it. Null until it was read. */
export function knownToken(
  ctx: Context,
  { chain_id }: Pick<WalletRow, 'chain_id'>,
): (Token & Pick<UsdcDomain, 'separator'>) | null {
  const domain = usdcDomains(ctx).get(chain_id)
  return domain ? { chainId: chain_id, address: ctx.chains[chain_id].usdc, ...domain } : null
}

/** Reads it once. Null if the token's domain is not one that Circle uses. Throws RpcUnavailable. */
export async function readToken(ctx: Context, wallet: Pick<WalletRow, 'chain_id'>): Promise<Token | null> {
  if (!usdcDomains(ctx).has(wallet.chain_id)) {
    const domain = await usdcDomain(ctx.chains[wallet.chain_id])
    if (domain) usdcDomains(ctx).set(wallet.chain_id, domain)
  }
  return knownToken(ctx, wallet)
}
