import { insertClaimLink } from '../../db/claimLinks.ts'
import type { Context } from '../context.ts'
import { deskView } from '../payouts/views.ts'
import { type Entry, markSent, nextEdition } from './entries.ts'

/** Makes the payout's link findable. */
export async function writeClaimLink(ctx: Context, entry: Entry): Promise<void> {
  const payout = ctx.store.payout(entry.ref)!
  await insertClaimLink(ctx.db, {
    tokenHash: payout.token_hash,
    userId: ctx.userId,
    payoutId: payout.id,
    address: payout.address,
    createdAt: payout.created_at,
  })
  markSent(ctx, entry)
}

/** Sends the payout as it is now to its ClaimDesk. */
export async function updateDesk(ctx: Context, entry: Entry): Promise<void> {
  const payout = ctx.store.payout(entry.ref)!
  await ctx.env.CLAIM_DESK.getByName(payout.id).update(deskView(ctx, payout, nextEdition(ctx)))
  markSent(ctx, entry)
}
