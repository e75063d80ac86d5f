import { notFound, ok, type Result, refuse } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import { audit } from '../../ledger/audit.ts'
import { enqueue } from '../../outbox/enqueue.ts'

/**
 * Sends the recipient of a withdrawn payout a receipt, to the address that the payout was sent to. Repeated requests send no
 * second one, so that nobody with the link can fill the mailbox.
 */
export function requestReceipt(ctx: Context, payoutId: string): Result<null> {
  const payout = ctx.store.payout(payoutId)
  if (!payout) return notFound('Payout')
  if (payout.status !== 'WITHDRAWN') return refuse('conflict', 'There is a receipt once the money has been withdrawn.')
  if (ctx.store.payment(payoutId)!.recipient_email === null)
    return refuse('unprocessable', 'Receipts are sent by email, and this payout was sent to a phone number.')
  if (payout.receipt_at !== null) return ok(null)
  ctx.store.transaction(() => {
    ctx.store.update('payout', payoutId, { receipt_at: ctx.now() })
    audit(ctx.store, ctx.now(), 'payout.receipt_requested', payoutId, {})
    enqueue(ctx, 'mail.payout_receipt', payoutId)
  })
  return ok(null)
}
