import { type ClaimLinkRow, insertClaimLink } from '../../db/claimLinks.ts'
import type { Context } from '../core/context.ts'
import { type Entry, markSent, nextEdition } from '../outbox/entries.ts'
import { deskView } from '../payouts/views.ts'
import type { PayoutRow } from '../storage/rows.ts'

/** Adds the payout's link to D1's index, where it is looked up. */
export async function writeClaimLink(ctx: Context, entry: Entry): Promise<void> {
  await insertClaimLink(ctx.db, linkRow(ctx, ctx.store.payout(entry.ref)!))
  markSent(ctx, entry)
}

export const linkRow = ({ userId }: Context, payout: PayoutRow): ClaimLinkRow => ({
  tokenHash: payout.token_hash,
  userId,
  payoutId: payout.id,
  address: payout.address,
  createdAt: payout.created_at,
})

/** Sends the payout's current state to its ClaimDesk. */
export async function updateDesk(ctx: Context, entry: Entry): Promise<void> {
  await sendToDesk(ctx, ctx.store.payout(entry.ref)!)
  markSent(ctx, entry)
}

export async function sendToDesk(ctx: Context, payout: PayoutRow): Promise<void> {
  await ctx.env.CLAIM_DESK.getByName(payout.id).update(deskView(ctx, payout, nextEdition(ctx)))
}
