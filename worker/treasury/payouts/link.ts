import { base64url } from 'jose'
import { sha256 } from '../../identity/secrets.ts'
import type { Context } from '../core/context.ts'
import type { PayoutRow } from '../storage/rows.ts'

export const tokenBinding = (ctx: Context, payoutId: string) => `${ctx.userId}|claim token|${payoutId}`

/** A new claim token: the token in the link, the hash that D1 stores, and the sealed token that the Treasury stores. */
export async function newClaimToken(ctx: Context, payoutId: string) {
  const token = base64url.encode(ctx.random(32))
  return { token, tokenHash: sha256(token), sealedToken: await ctx.sealer.seal(token, tokenBinding(ctx, payoutId)) }
}

export const claimUrlOf = async (ctx: Context, payout: Pick<PayoutRow, 'id' | 'sealed_token'>): Promise<string> =>
  `${ctx.env.APP_ORIGIN}/claim/${await ctx.sealer.open(payout.sealed_token, tokenBinding(ctx, payout.id))}`
