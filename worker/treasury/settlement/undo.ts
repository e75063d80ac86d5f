import { kindOf } from '#domain/kinds/kinds.ts'
import { type BookedEvent, paymentBefore } from '#domain/payment.ts'
import { logWarning } from '../../observability/log.ts'
import { heads } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { BookingRow, PaymentRow, WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { undoLeave, undoSpend } from '../ledger/ledger.ts'
import { countSettled } from '../ledger/purchaseNumbers.ts'
import { recordChange } from '../outbox/changes.ts'
import { enqueuePayout } from '../outbox/enqueue.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { reduceMovement } from '../payments/movements.ts'
import { movePayout } from '../payments/payouts/transitions.ts'
import { undoActions } from '../wallets/actions/follow.ts'
import { forgetLook, readBy } from '../wallets/idleReads.ts'
import { undoSessions } from '../wallets/session.ts'
import { forgetSnapshot } from '../wallets/snapshots.ts'
import { openBookings } from './bookings.ts'

/**
 * Undoes all bookings of this wallet that are not final, in one transaction, and moves the cursor to the last final block,
 * so that the current chain is read again. Each undone booking adds a row to the audit log. No amount is released: a
 * payment whose transfer is gone is held again under its own nonce, because it may still be executed.
 */
export function undoBookings(ctx: Context, walletId: string, why: Record<string, unknown>): void {
  const { store } = ctx
  store.transaction(() => {
    const wallet = store.wallet(walletId)!
    const bookings = openBookings(store, wallet)
    logWarning('chain_reorganized', { user: ctx.userId, wallet: walletId, ...why, undone: bookings.length })
    audit(store, ctx.now(), 'wallet.reorganized', walletId, { ...why, finalBlock: wallet.final_block })
    for (const booking of bookings) undo(ctx, wallet, booking)
    for (const table of ['booking', 'booked_log'])
      store.run(`DELETE FROM ${table} WHERE wallet_id = ? AND block > ?`, walletId, wallet.final_block)
    undoActions(ctx, wallet)
    undoSessions(ctx, wallet)
    store.run(
      'UPDATE wallet SET scanned_block = min(scanned_block, final_block), anchor_block = NULL, anchor_hash = NULL WHERE id = ?',
      walletId,
    )
    forgetSnapshot(ctx, walletId)
    // The cached head was read on the branch that is gone.
    heads(ctx).delete(wallet.chain_id)
    ctx.schedule('settle', ctx.now())
    forgetLook(ctx, walletId)
    readBy(ctx, walletId, ctx.now())
  })
}

function undo(ctx: Context, wallet: WalletRow, booking: BookingRow): void {
  const { store } = ctx
  const { kind, value, tx, block } = booking
  const before = isOfPayment(kind) ? store.payment(booking.ref!)!.status : null
  switch (kind) {
    case 'deposited':
      store.run('UPDATE wallet SET deposits = deposits - ? WHERE id = ?', value, wallet.id)
      reduceMovement(ctx, booking.ref!, value)
      break
    case 'returned':
      store.run('UPDATE wallet SET returns = returns - ? WHERE id = ?', value, wallet.id)
      reduceMovement(ctx, booking.ref!, value)
      break
    case 'left':
      store.run('UPDATE wallet SET withdrawn = withdrawn - ? WHERE id = ?', value, wallet.id)
      reduceMovement(ctx, booking.ref!, value)
      break
    case 'announced':
      store.run('UPDATE payout SET announced = 0, announce_delivered_at = NULL WHERE id = ?', booking.ref)
      makeUnready(ctx, booking)
      break
    case 'paid':
    case 'funded':
      undoTransfer(ctx, booking, kind)
      break
    case 'withdrawn':
    case 'reclaimed':
      undoEnd(ctx, booking, kind)
  }
  const event = isOfPayment(kind) ? 'payment.undone' : 'booking.undone'
  audit(store, ctx.now(), event, isOfMoney(kind) ? wallet.id : booking.ref!, {
    kind,
    amount: formatColumn(value),
    tx,
    block,
    hash: booking.block_hash,
  })
  if (event === 'payment.undone') sendPaymentEvent(ctx, event, booking.ref!, before)
}

const isOfMoney = (kind: BookingRow['kind']) => kind === 'deposited' || kind === 'returned' || kind === 'left'
const isOfPayment = (kind: BookingRow['kind']) =>
  kind === 'paid' || kind === 'funded' || kind === 'withdrawn' || kind === 'reclaimed'

function undoTransfer(ctx: Context, booking: BookingRow, event: 'paid' | 'funded'): void {
  const payment = unbookedPayment(ctx, booking, event)
  ctx.store.run('UPDATE payment SET confirmed_at = NULL WHERE id = ?', payment.id)
  undoLeave(ctx.store, payment)
  if (event === 'paid') {
    undoSpend(ctx.store, payment)
    if (kindOf(payment).submittedBy === 'seller') countSettled(ctx.store, payment, -1)
  } else {
    ctx.store.run('UPDATE payout SET funded = 0 WHERE id = ?', payment.id)
    makeUnready(ctx, booking)
  }
}

function undoEnd(ctx: Context, booking: BookingRow, event: 'withdrawn' | 'reclaimed'): void {
  const { store } = ctx
  const payment = unbookedPayment(ctx, booking, event)
  if (event === 'withdrawn') undoSpend(store, payment)
  // A reclaim that is not final has released nothing.
  store.run(
    `UPDATE payout SET status = ?, done_tx = NULL, done_at = NULL, withdrawn_to = NULL, returned_block = NULL,
       action_delivered_at = NULL WHERE id = ?`,
    booking.status_before,
    payment.id,
  )
  enqueuePayout(ctx, payment.id)
  ctx.schedule('expiry', Math.max(ctx.now(), store.payout(payment.id)!.expires_at))
}

/** Restores the payment's status before the event. Throws if its status does not fit, so that nothing at all is undone. */
function unbookedPayment(ctx: Context, { ref }: BookingRow, event: BookedEvent): PaymentRow {
  const { store } = ctx
  const payment = store.payment(ref!)!
  const before = paymentBefore(payment.status, event)
  if (before === null) throw new Error(`payment ${payment.id} is ${payment.status}: ${event} cannot be undone`)
  store.run('UPDATE payment SET status = ? WHERE id = ?', before, payment.id)
  recordChange(ctx, payment.id)
  return payment
}

/** The payout can't be claimed until it is funded and announced on chain again. A signed claim or reclaim stays open. */
function makeUnready(ctx: Context, { ref }: BookingRow): void {
  const payout = ctx.store.payout(ref!)!
  if (!movePayout(ctx, payout, 'unready')) enqueuePayout(ctx, payout.id)
}
