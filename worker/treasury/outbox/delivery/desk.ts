import type { Context } from '../../core/context.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { deskView } from '../../payments/payouts/views.ts'
import { type Entry, markSent, nextEdition } from '../entries.ts'

/** Sends the payout's current state to its ClaimDesk. */
export async function updateDesk(ctx: Context, entry: Entry): Promise<void> {
  await sendToDesk(ctx, ctx.store.payout(entry.ref)!)
  markSent(ctx, entry)
}

export async function sendToDesk(ctx: Context, payout: PayoutRow): Promise<void> {
  await ctx.env.CLAIM_DESK.getByName(payout.id).update(deskView(ctx, payout, nextEdition(ctx)))
}
