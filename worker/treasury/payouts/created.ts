import { isoOf } from '#domain/time.ts'
import type { CreateEscrowReply } from '#schemas/escrow.ts'
import type { Context } from '../core/context.ts'
import { openCode } from './codes.ts'
import { claimUrlOf } from './link.ts'
import { termsView } from './views.ts'

/** The reply that the sender of a new payout sees once. `passcode` is null after ten minutes or once it has been renewed. */
export async function createdPayout(ctx: Context, payoutId: string): Promise<CreateEscrowReply> {
  const payout = ctx.store.payout(payoutId)!
  return {
    id: payout.id,
    escrowId: payout.id,
    claimUrl: await claimUrlOf(ctx, payout),
    passcode: ctx.now() < payout.code_until ? await openCode(ctx, payout) : null,
    escrowSubwalletAddress: payout.address,
    fundingTxHash: ctx.store.payment(payout.id)?.tx_hash ?? null,
    expiresAt: isoOf(payout.expires_at),
    terms: termsView(ctx, payout),
  }
}
