import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { enqueuePayout } from '../outbox/enqueue.ts'
import type { PayoutRow } from '../storage/rows.ts'

/** The refusal for a link that operators have taken down; null if it is up. The sender can still take the payout back. */
export const takenDown = ({ taken_down_at }: PayoutRow, to: 'recipient' | 'sender'): Refused | null => {
  if (taken_down_at === null) return null
  return to === 'recipient'
    ? refuse('gone', 'This payout link is not available.')
    : refuse('conflict', 'The operator has taken this payout’s link down. You can take the payout back.')
}

/** Takes a claim link down, or restores it. A claim that was signed before is completed. Repeating it changes nothing. */
export function setLinkDown(ctx: Context, payoutId: string, isDown: boolean): Result<PayoutRow> {
  const { store } = ctx
  return store.transaction((): Result<PayoutRow> => {
    const payout = store.payout(payoutId)
    if (!payout) return notFound('Payout')
    if ((payout.taken_down_at !== null) === isDown) return ok(payout)
    store.run('UPDATE payout SET taken_down_at = ? WHERE id = ?', isDown ? ctx.now() : null, payoutId)
    audit(store, ctx.now(), isDown ? 'payout.link_taken_down' : 'payout.link_restored', payoutId)
    enqueuePayout(ctx, payoutId)
    return ok(store.payout(payoutId)!)
  })
}
