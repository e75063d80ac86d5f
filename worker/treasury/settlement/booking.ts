import { nextPayment } from '#domain/payment.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { authorizationIn } from '../../chain/authorization.ts'
import type { Address, Hex, Log } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { settleFunding, settleReclaimed, settleSend, settleWithdrawn } from '../ledger/ledger.ts'
import { recordConfirmation } from '../limits/gas.ts'
import { enqueue, enqueuePayout } from '../outbox/enqueue.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { movePayout } from '../payouts/transitions.ts'
import { formatColumn, fromColumn } from '../storage/columns.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../storage/rows.ts'
import { forgetSnapshot } from '../wallets/snapshots.ts'
import { halt } from '../wallets/walletHalts.ts'
import { dropWithdrawal, keepBooking, refuseOtherBranch } from './bookings.ts'

/**
 * Logs of one wallet: those of its contract (or USDC's authorization logs), USDC transfers from it, to it and from its
 * payouts, and announcements of its payouts. A log may occur twice.
 */
export type Reading = { own: Log[]; transfers: Log[]; announced: Log[] }

/** Books each log once, in chain order. This is the only place that confirms payments. Call inside a transaction. */
export function book(ctx: Context, wallet: WalletRow, { own, transfers, announced }: Reading): void {
  const ordered = inOrder(transfers).filter((log) => BigInt(log.data) > 0n)
  for (const log of ordered) {
    // The log's content decides, not the filter that found it: a return is both the wallet's income and the payout's end,
    // and a node may omit it from one of the two responses.
    refuseOtherBranch(ctx, wallet, log)
    if (isBooked(ctx, wallet, log)) explainWithdrawal(ctx, wallet, own, log)
    else bookTransfer(ctx, wallet, own, log)
    // The payout's own state makes it end only once, so its end may also be found in a log that was booked before.
    bookPayoutEnd(ctx, log)
  }
  for (const log of announced) bookAnnounced(ctx, wallet, log)
  if (wallet.kind === 'imported') for (const log of own) recordCancellation(ctx, wallet, log)
}

/** Returns each log once, in chain order. */
function inOrder(logs: Log[]): Log[] {
  const unique = new Map(logs.map((log) => [`${log.blockNumber}:${log.logIndex}`, log]))
  return [...unique.values()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

/** Books money that left or reached the wallet. */
function bookTransfer(ctx: Context, wallet: WalletRow, own: Log[], log: Log): void {
  const [from, to] = [addressIn(log.topics[1]), addressIn(log.topics[2])]
  const [outgoing, incoming] = [sameAddress(from, wallet.address), sameAddress(to, wallet.address)]
  if (outgoing === incoming) return // between a payout and a third party, or from the wallet to itself
  forgetSnapshot(ctx, wallet.id)
  if (outgoing) bookOutgoing(ctx, wallet, log, paymentBefore(ctx, wallet, own, log))
  else bookIncoming(ctx, wallet, log)
  ctx.store.run(
    'INSERT INTO booked_log (wallet_id, block, log_index) VALUES (?, ?, ?)',
    wallet.id,
    log.blockNumber,
    log.logIndex,
  )
}

const isBooked = (ctx: Context, wallet: WalletRow, log: Log) =>
  ctx.store.first(
    'SELECT 1 FROM booked_log WHERE wallet_id = ? AND block = ? AND log_index = ?',
    wallet.id,
    log.blockNumber,
    log.logIndex,
  ) !== null

/**
 * If a node returned a Transfer without its nonce log, a payment was booked as a withdrawal by the owner. Once the log is
 * read again with its nonce, the withdrawal becomes the payment.
 */
function explainWithdrawal(ctx: Context, wallet: WalletRow, own: Log[], log: Log): void {
  const payment = paymentBefore(ctx, wallet, own, log)
  if (payment?.status !== 'PROCESSING' || !isTransferOf(payment, log)) return
  ctx.store.run('UPDATE wallet SET withdrawn = withdrawn - ? WHERE id = ?', payment.amount, wallet.id)
  dropWithdrawal(ctx, wallet, log)
  bookOutgoing(ctx, wallet, log, payment)
}

/** The payment whose nonce log is directly before this Transfer in the same transaction: together they prove it. */
function paymentBefore(ctx: Context, wallet: WalletRow, own: Log[], transfer: Log): PaymentRow | null {
  const log = own.find(
    (entry) => entry.transactionHash === transfer.transactionHash && entry.logIndex === transfer.logIndex - 1,
  )
  if (!log) return null
  if (wallet.kind === 'imported') {
    const authorization = authorizationIn(log)
    return authorization?.event === 'used' ? authorizedPayment(ctx, wallet, authorization.nonce) : null
  }
  return log.topics.length === 1 && log.data === '0x' ? paymentOf(ctx, wallet, BigInt(log.topics[0]!)) : null
}

const addressIn = (topic: Hex | undefined): Address => `0x${(topic ?? '').slice(26)}`

const paymentOf = (ctx: Context, wallet: WalletRow, nonce: bigint) =>
  ctx.store.first<PaymentRow>(
    'SELECT * FROM payment WHERE wallet_id = ? AND epoch = ? AND sequence = ?',
    wallet.id,
    Number(nonce >> 32n),
    Number(nonce & 0xffff_ffffn),
  )

const authorizedPayment = (ctx: Context, wallet: WalletRow, nonce: Hex) =>
  ctx.store.first<PaymentRow>('SELECT * FROM payment WHERE wallet_id = ? AND authorization = ?', wallet.id, nonce)

/** Handles an authorization cancelled by the imported key's owner: stops signing; the release waits for finality. */
function recordCancellation(ctx: Context, wallet: WalletRow, log: Log): void {
  const authorization = authorizationIn(log)
  if (authorization?.event !== 'cancelled') return
  const payment = authorizedPayment(ctx, wallet, authorization.nonce)
  if (payment?.status !== 'PROCESSING' || payment.error_code === cancelledCode) return
  ctx.store.run('UPDATE payment SET error_code = ?, give_up_at = 0 WHERE id = ?', cancelledCode, payment.id)
  audit(ctx.store, ctx.now(), 'payment.cancellation_seen', payment.id, { tx: log.transactionHash })
}
/** Error code of a payment that is still PROCESSING: its cancellation was seen but is not final. */
export const cancelledCode = 'authorization_cancelled'

const isTransferOf = (payment: PaymentRow, log: Log) =>
  fromColumn(payment.amount) === BigInt(log.data) && sameAddress(payment.to_address, addressIn(log.topics[2]))

function bookOutgoing(ctx: Context, wallet: WalletRow, log: Log, payment: PaymentRow | null): void {
  const { store } = ctx
  const value = Number(BigInt(log.data))
  const to = addressIn(log.topics[2])
  if (!payment) {
    // A withdrawal by the owner, or a send by a session key that is not ours.
    bookWithdrawal(ctx, wallet, log, value)
    audit(store, ctx.now(), 'wallet.withdrawn', wallet.id, {
      amount: formatColumn(value),
      to,
      tx: log.transactionHash,
    })
    return
  }
  const event = payment.kind === 'send' ? 'paid' : 'funded'
  const status = nextPayment(payment.status, event)
  if (status === null || !isTransferOf(payment, log)) {
    bookWithdrawal(ctx, wallet, log, value)
    halt(
      ctx,
      wallet.id,
      isTransferOf(payment, log) ? 'ended_payment' : 'foreign_transfer',
      `payment ${payment.id} (${payment.status}) does not match the transfer in ${log.transactionHash}`,
    )
    return
  }
  const now = ctx.now()
  const seen = { tx_hash: log.transactionHash, confirmed_at: now, broadcast_at: payment.broadcast_at ?? now }
  store.update('payment', payment.id, { status, ...seen })
  ctx.confirmed.push(store.payment(payment.id)!)
  const name = event === 'paid' ? 'payment.confirmed' : 'payment.funded'
  audit(store, ctx.now(), name, payment.id, { tx: log.transactionHash, block: log.blockNumber })
  enqueue(ctx, 'payment', payment.id)
  recordConfirmation(ctx, wallet.chain_id, value)
  keepBooking(ctx, wallet, log, { kind: event, value, ref: payment.id })
  if (payment.kind === 'send') {
    settleSend(store, payment, ctx.now())
    sendPaymentEvent(ctx, name, payment.id, payment.status)
    return
  }
  settleFunding(store, payment)
  sendPaymentEvent(ctx, name, payment.id, payment.status)
  store.run('UPDATE payout SET funded = 1 WHERE id = ?', payment.id)
  enqueuePayout(ctx, payment.id)
  makeReady(ctx, payment.id)
}

function bookWithdrawal(ctx: Context, wallet: WalletRow, log: Log, value: number): void {
  ctx.store.run('UPDATE wallet SET withdrawn = withdrawn + ? WHERE id = ?', value, wallet.id)
  keepBooking(ctx, wallet, log, { kind: 'left', value })
}

function bookIncoming(ctx: Context, wallet: WalletRow, log: Log): void {
  const { store } = ctx
  const from = addressIn(log.topics[1])
  const value = Number(BigInt(log.data))
  const ours = store.first('SELECT 1 FROM payout WHERE address = ? COLLATE NOCASE', from)
  store.run(
    `UPDATE wallet SET ${ours ? 'returns = returns' : 'deposits = deposits'} + ? WHERE id = ?`,
    value,
    wallet.id,
  )
  keepBooking(ctx, wallet, log, { kind: ours ? 'returned' : 'deposited', value })
  audit(store, ctx.now(), ours ? 'wallet.returned' : 'wallet.deposited', wallet.id, {
    amount: formatColumn(value),
    from,
    tx: log.transactionHash,
  })
}

function bookPayoutEnd(ctx: Context, log: Log): void {
  const { store } = ctx
  const payout = store.first<PayoutRow>(
    'SELECT * FROM payout WHERE address = ? COLLATE NOCASE',
    addressIn(log.topics[1]),
  )
  const payment = payout && store.payment(payout.id)
  // Money that third parties sent there before the funding arrived is not the payout's; moving it does not end the payout.
  if (!payout || !payment || payout.funded === 0 || BigInt(log.data) < fromColumn(payout.amount)) return
  const to = addressIn(log.topics[2])
  const event = sameAddress(to, payout.payer) ? 'reclaimed' : 'withdrawn'
  const moved = movePayout(ctx, payout, event, { tx: log.transactionHash, to })
  if (!moved) return
  const now = ctx.now()
  const withdrawn_to = event === 'withdrawn' ? to : null
  store.update('payout', payout.id, { done_tx: log.transactionHash, done_at: now, withdrawn_to, sealed_code: null })
  const status = nextPayment(payment.status, event)
  if (status !== null) store.run('UPDATE payment SET status = ? WHERE id = ?', status, payment.id)
  enqueue(ctx, 'payment', payment.id)
  const wallet = store.wallet(payout.wallet_id)!
  keepBooking(ctx, wallet, log, { kind: event, value: payout.amount, ref: payout.id, status_before: payout.status })
  if (event === 'withdrawn') settleWithdrawn(store, payment, now)
  else if (log.blockNumber <= wallet.final_block) settleReclaimed(store, payment)
  // If the budget got the amount back now, it could be spent again before the return is undone.
  else store.run('UPDATE payout SET returned_block = ? WHERE id = ?', log.blockNumber, payout.id)
  sendPaymentEvent(ctx, `payout.${event}`, payment.id, payment.status)
  enqueue(ctx, event === 'withdrawn' ? 'mail.payout_claimed' : 'mail.payout_returned', payout.id)
}

function bookAnnounced(ctx: Context, wallet: WalletRow, log: Log): void {
  const payout = ctx.store.first<PayoutRow>('SELECT * FROM payout WHERE payout_hash = ?', log.topics[1] ?? '')
  if (!payout || payout.announced === 1) return
  ctx.store.run('UPDATE payout SET announced = 1 WHERE id = ?', payout.id)
  keepBooking(ctx, wallet, log, { kind: 'announced', value: 0, ref: payout.id })
  makeReady(ctx, payout.id)
}

/** Link and code are sent only after funding and announcement are both confirmed. */
function makeReady(ctx: Context, payoutId: string): void {
  const payout = ctx.store.payout(payoutId)!
  if (payout.funded === 0 || payout.announced === 0) return
  if (movePayout(ctx, payout, 'ready')) enqueue(ctx, 'mail.payout_link', payout.id)
}
