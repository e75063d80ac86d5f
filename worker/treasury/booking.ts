import { authorizationIn } from '../chain/authorization.ts'
import type { Address, Hex, Log } from '../chain/types.ts'
import { formatUsdc } from '../domain/money.ts'
import { nextPayment } from '../domain/payment.ts'
import { audit } from './audit.ts'
import type { Context } from './context.ts'
import { halt } from './halting.ts'
import { settleFunding, settleReclaimed, settleSend, settleWithdrawn } from './ledger.ts'
import { changed, payoutChanged } from './outbox.ts'
import { movePayout } from './payouts.ts'
import type { PaymentRow, PayoutRow, WalletRow } from './store.ts'

/** Logs that concern one wallet: its own contract's (or USDC's authorizations), and what moved from it, to it and from its payouts. */
export type Reading = { own: Log[]; left: Log[]; came: Log[]; payouts: Log[]; announced: Log[] }

/** Enters what was read, in the chain's order and each log once. The only place that confirms. Inside a transaction. */
export function book(ctx: Context, wallet: WalletRow, { own, left, came, payouts, announced }: Reading): void {
  const events = [
    ...left.map((log) => ({ log, enter: () => bookLeft(ctx, wallet, log, paymentBefore(ctx, wallet, own, log)) })),
    ...came.map((log) => ({ log, enter: () => bookCame(ctx, wallet, log) })),
    ...payouts.map((log) => ({ log, enter: () => bookPayoutTransfer(ctx, log) })),
  ]
  explainWithdrawals(ctx, wallet, own, left)
  events.sort((a, b) => a.log.blockNumber - b.log.blockNumber || a.log.logIndex - b.log.logIndex)
  // A payout's return is read twice, as the wallet's income and as the payout's end: marks come after all entries.
  const fresh = events.filter(({ log }) => BigInt(log.data) > 0n && !isBooked(ctx, wallet, log))
  if (fresh.length > 0) ctx.looks.delete(wallet.id)
  for (const { enter } of fresh) enter()
  for (const { log } of fresh)
    ctx.store.run(
      'INSERT OR IGNORE INTO booked_log (wallet_id, block, log_index) VALUES (?, ?, ?)',
      wallet.id,
      log.blockNumber,
      log.logIndex,
    )
  for (const log of announced) bookAnnounced(ctx, log)
  if (wallet.kind === 'imported') for (const log of own) noteCanceled(ctx, wallet, log)
}

const isBooked = (ctx: Context, wallet: WalletRow, log: Log) =>
  ctx.store.first(
    'SELECT 1 FROM booked_log WHERE wallet_id = ? AND block = ? AND log_index = ?',
    wallet.id,
    log.blockNumber,
    log.logIndex,
  ) !== null

/**
 * A node that once answered the Transfer without its nonce log let a payment pass for the owner's withdrawal. Read
 * again with its nonce, it becomes the payment that it always was.
 */
function explainWithdrawals(ctx: Context, wallet: WalletRow, own: Log[], left: Log[]): void {
  for (const log of left) {
    if (!isBooked(ctx, wallet, log)) continue
    const payment = paymentBefore(ctx, wallet, own, log)
    if (payment?.status !== 'PROCESSING' || !isTransferOf(payment, log)) continue
    ctx.store.run('UPDATE wallet SET withdrawn = withdrawn - ? WHERE id = ?', payment.amount, wallet.id)
    bookLeft(ctx, wallet, log, payment)
  }
}

/** The wallet's nonce log directly before this Transfer, in the same transaction: together they prove a payment. */
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
const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

const paymentOf = (ctx: Context, wallet: WalletRow, nonce: bigint) =>
  ctx.store.first<PaymentRow>(
    'SELECT * FROM payment WHERE wallet_id = ? AND epoch = ? AND sequence = ?',
    wallet.id,
    Number(nonce >> 32n),
    Number(nonce & 0xffff_ffffn),
  )

const authorizedPayment = (ctx: Context, wallet: WalletRow, nonce: Hex) =>
  ctx.store.first<PaymentRow>('SELECT * FROM payment WHERE wallet_id = ? AND authorization = ?', wallet.id, nonce)

/** The owner of an imported key took the authorization back: nothing more is signed, the release waits for finality. */
function noteCanceled(ctx: Context, wallet: WalletRow, log: Log): void {
  const authorization = authorizationIn(log)
  if (authorization?.event !== 'canceled') return
  const payment = authorizedPayment(ctx, wallet, authorization.nonce)
  if (payment?.status !== 'PROCESSING' || payment.error_code === canceledCode) return
  ctx.store.run('UPDATE payment SET error_code = ?, give_up_at = 0 WHERE id = ?', canceledCode, payment.id)
  audit(ctx.store, ctx.now(), 'payment.canceled', payment.id, { tx: log.transactionHash })
}
/** Stands on a payment that is still PROCESSING: a cancellation was seen, but is not final yet. */
export const canceledCode = 'authorization_canceled'

const isTransferOf = (payment: PaymentRow, log: Log) =>
  BigInt(payment.amount) === BigInt(log.data) && same(payment.to_address!, addressIn(log.topics[2]))

function bookLeft(ctx: Context, wallet: WalletRow, log: Log, payment: PaymentRow | null): void {
  const { store } = ctx
  const value = Number(BigInt(log.data))
  const to = addressIn(log.topics[2])
  if (same(to, wallet.address)) return
  if (!payment) {
    // The owner's withdrawal, or a session that is not ours.
    store.run('UPDATE wallet SET withdrawn = withdrawn + ? WHERE id = ?', value, wallet.id)
    audit(store, ctx.now(), 'wallet.withdrawn', wallet.id, {
      amount: formatUsdc(BigInt(value)),
      to,
      tx: log.transactionHash,
    })
    return
  }
  const event = payment.kind === 'send' ? 'paid' : 'funded'
  const status = nextPayment(payment.status, event)
  if (isTransferOf(payment, log) && ['CONFIRMED', 'PENDING', 'CANCELLED'].includes(payment.status)) {
    // A nonce works once: the same payment in another block, moved there by a reorganisation.
    store.run('UPDATE payment SET tx_hash = ? WHERE id = ?', log.transactionHash, payment.id)
    audit(store, ctx.now(), 'payment.reorganised', payment.id, { tx: log.transactionHash, block: log.blockNumber })
    changed(ctx, 'payment', payment.id)
    return
  }
  if (status === null || !isTransferOf(payment, log)) {
    store.run('UPDATE wallet SET withdrawn = withdrawn + ? WHERE id = ?', value, wallet.id)
    halt(
      ctx,
      wallet.id,
      `payment ${payment.id} (${payment.status}) does not match the transfer in ${log.transactionHash}`,
    )
    return
  }
  store.run(
    'UPDATE payment SET status = ?, tx_hash = ?, confirmed_at = ?, broadcast_at = coalesce(broadcast_at, ?) WHERE id = ?',
    status,
    log.transactionHash,
    ctx.now(),
    ctx.now(),
    payment.id,
  )
  audit(store, ctx.now(), `payment.${event}`, payment.id, { tx: log.transactionHash, block: log.blockNumber })
  changed(ctx, 'payment', payment.id)
  if (payment.kind === 'send') {
    settleSend(store, payment, ctx.now())
    return
  }
  settleFunding(store, payment)
  store.run('UPDATE payout SET funded = 1 WHERE id = ?', payment.id)
  payoutChanged(ctx, payment.id)
  makeReady(ctx, payment.id)
}

function bookCame(ctx: Context, wallet: WalletRow, log: Log): void {
  const { store } = ctx
  const from = addressIn(log.topics[1])
  if (same(from, wallet.address)) return
  const value = Number(BigInt(log.data))
  const ours = store.first('SELECT 1 FROM payout WHERE address = ? COLLATE NOCASE', from)
  store.run(
    `UPDATE wallet SET ${ours ? 'returns = returns' : 'deposits = deposits'} + ? WHERE id = ?`,
    value,
    wallet.id,
  )
  audit(store, ctx.now(), ours ? 'wallet.returned' : 'wallet.deposited', wallet.id, {
    amount: formatUsdc(BigInt(value)),
    from,
    tx: log.transactionHash,
  })
}

function bookPayoutTransfer(ctx: Context, log: Log): void {
  const { store } = ctx
  const payout = store.first<PayoutRow>(
    'SELECT * FROM payout WHERE address = ? COLLATE NOCASE',
    addressIn(log.topics[1]),
  )
  const payment = payout && store.payment(payout.id)
  // What others put there before our funding arrived is not this payout's money and cannot end it.
  if (!payout || !payment || payout.funded === 0 || BigInt(log.data) < BigInt(payout.amount)) return
  const to = addressIn(log.topics[2])
  const event = same(to, payout.payer) ? 'reclaimed' : 'withdrawn'
  const moved = movePayout(ctx, payout, event, { tx: log.transactionHash, to })
  if (!moved) return
  const now = ctx.now()
  store.run(
    'UPDATE payout SET done_tx = ?, done_at = ?, withdrawn_to = ?, sealed_code = NULL WHERE id = ?',
    log.transactionHash,
    now,
    event === 'withdrawn' ? to : null,
    payout.id,
  )
  const status = nextPayment(payment.status, event)
  if (status !== null) store.run('UPDATE payment SET status = ? WHERE id = ?', status, payment.id)
  changed(ctx, 'payment', payment.id)
  if (event === 'withdrawn') settleWithdrawn(store, payment, now)
  else settleReclaimed(store, payment)
  changed(ctx, 'mail', `${payout.id}:${event}`)
}

function bookAnnounced(ctx: Context, log: Log): void {
  const payout = ctx.store.first<PayoutRow>('SELECT * FROM payout WHERE payout_hash = ?', log.topics[1] ?? '')
  if (!payout || payout.announced === 1) return
  ctx.store.run('UPDATE payout SET announced = 1 WHERE id = ?', payout.id)
  makeReady(ctx, payout.id)
}

/** Link and code leave only after funding and announcement are both confirmed. */
function makeReady(ctx: Context, payoutId: string): void {
  const payout = ctx.store.payout(payoutId)!
  if (payout.funded === 0 || payout.announced === 0) return
  if (movePayout(ctx, payout, 'ready')) changed(ctx, 'mail', `${payout.id}:link`)
}
