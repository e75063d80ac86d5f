import { partsOfNonce } from '#domain/intent.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import { nextPayment } from '#domain/payment.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { authorizationIn } from '../../chain/authorization.ts'
import { addressTopic, topics } from '../../chain/calls.ts'
import type { Dust } from '../../chain/readLogs.ts'
import type { Address, Hex, Log } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import { formatColumn, fromColumn } from '../core/storage/columns.ts'
import type { MovementRow, PaymentRow, PayoutRow, WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { settleFunding, settleReclaimed, settleSend, settleWithdrawn } from '../ledger/ledger.ts'
import { countSettled } from '../ledger/purchaseNumbers.ts'
import { recordConfirmation } from '../limits/gas.ts'
import { tellMembers } from '../limits/secondPerson.ts'
import { recordChange } from '../outbox/changes.ts'
import { enqueue, enqueuePayout, enqueueReturn } from '../outbox/enqueue.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { recordMovement, recordSmallDeposits, reduceMovementAt } from '../payments/movements.ts'
import { movePayout } from '../payments/payouts/transitions.ts'
import { forgetSnapshot } from '../wallets/snapshots.ts'
import { halt } from '../wallets/walletHalts.ts'
import { dropWithdrawal, keepBooking, refuseOtherBranch } from './bookings.ts'

/** Payments confirmed by the scan in progress; recorded as metrics once it has committed. */
export const newlyConfirmed = inMemory((): PaymentRow[] => [])

/**
 * Logs of one wallet: those of its contract and USDC's authorization logs (`own`), USDC transfers from it, to it and from its
 * payouts, and announcements of its payouts. A log may occur twice. Dust is not among the transfers.
 */
export type Reading = { own: Log[]; transfers: Log[]; announced: Log[]; dust: Dust[] }

/** Books each log once, in chain order. This is the only place that confirms payments. Call inside a transaction. */
export function book(ctx: Context, wallet: WalletRow, { own, transfers, announced, dust }: Reading): void {
  refuseOtherBranch(ctx, wallet, [...transfers, ...dust])
  // The nonce log of a payment is directly before its transfer.
  const nonces: NonceLogs = new Map(own.map((log) => [`${log.transactionHash}:${log.logIndex + 1}`, log]))
  for (const log of inOrder(transfers)) {
    // The log's content decides, not the filter that found it: a return is both the wallet's income and the payout's end,
    // and a node may omit it from one of the two responses.
    if (isBooked(ctx, wallet, log)) explainWithdrawal(ctx, wallet, nonces, log)
    else bookTransfer(ctx, wallet, nonces, log)
    if (isPurchase(wallet, nonces, log)) haltIfNotOurs(ctx, wallet, nonces, log)
    // The payout's own state makes it end only once, so its end may also be found in a log that was booked before.
    const returned = bookPayoutEnd(ctx, log)
    // The return has a row of its own, so only what a payout's address had in addition is a deposit.
    if (returned) reduceMovementAt(ctx, returned.wallet, log, returned.amount)
  }
  for (const ofBlock of dust) bookDust(ctx, wallet, ofBlock)
  for (const log of announced) bookAnnounced(ctx, wallet, log)
  if (wallet.kind === 'imported') for (const log of own) recordCancellation(ctx, wallet, log)
}

/** Logs of the wallet's contract, or of its authorizations, by the transaction and the index of the log after each. */
type NonceLogs = ReadonlyMap<string, Log>

/** Returns each log once, in chain order. */
function inOrder(logs: Log[]): Log[] {
  const unique = new Map(logs.map((log) => [`${log.blockNumber}:${log.logIndex}`, log]))
  return [...unique.values()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

/** Books money that left or reached the wallet. */
function bookTransfer(ctx: Context, wallet: WalletRow, nonces: NonceLogs, log: Log): void {
  const [from, to] = [addressIn(log.topics[1]), addressIn(log.topics[2])]
  const [outgoing, incoming] = [sameAddress(from, wallet.address), sameAddress(to, wallet.address)]
  if (outgoing === incoming) return // between a payout and a third party, or from the wallet to itself
  forgetSnapshot(ctx, wallet.id)
  if (outgoing) bookOutgoing(ctx, wallet, log, isSigned(wallet, nonces, log), paymentBefore(ctx, wallet, nonces, log))
  else bookIncoming(ctx, wallet, log)
  ctx.store.insert('booked_log', { wallet_id: wallet.id, block: log.blockNumber, log_index: log.logIndex })
}

/** Smaller deposits are booked together, one row for each block, because a stranger can make any number of them. */
const dustBelow = 10_000n // 0.01 USDC
/** In booked_log, the place of all dust of a block. */
const dustIndex = -1

/** Whether a log is a small deposit that is not the return of a payout. */
export function dustOf(ctx: Context, wallet: WalletRow): (log: Log) => boolean {
  const [transfer, itself] = [topics.transfer, addressTopic(wallet.address)]
  const payouts = new Map<Hex, boolean>()
  const isPayout = (from: Hex) => {
    const known = payouts.get(from) ?? payoutAt(ctx, addressIn(from)) !== null
    payouts.set(from, known)
    return known
  }
  return ({ data, topics: [event, from, to] }) =>
    event === transfer && to === itself && from !== itself && BigInt(data) < dustBelow && !isPayout(from!)
}

/** A node may omit some of a block's logs. Once it returns more of them than before, the difference is booked. */
function bookDust(ctx: Context, wallet: WalletRow, { sum, count, ...first }: Dust): void {
  const { store } = ctx
  const place = { wallet_id: wallet.id, block: first.blockNumber, log_index: dustIndex }
  const booked = store.first<{ dust: number }>(
    'SELECT dust FROM booked_log WHERE wallet_id = ? AND block = ? AND log_index = ?',
    ...Object.values(place),
  )
  const value = Number(sum) - (booked?.dust ?? 0)
  if (value <= 0) return
  forgetSnapshot(ctx, wallet.id)
  store.run('UPDATE wallet SET deposits = deposits + ? WHERE id = ?', value, wallet.id)
  keepBooking(ctx, wallet, first, { kind: 'deposited', value, ref: recordSmallDeposits(ctx, wallet, value) })
  store.replace('booked_log', { ...place, dust: Number(sum) })
  audit(store, ctx.now(), 'wallet.deposited', wallet.id, {
    amount: formatColumn(value),
    transfers: count,
    block: first.blockNumber,
  })
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
function explainWithdrawal(ctx: Context, wallet: WalletRow, nonces: NonceLogs, log: Log): void {
  const payment = paymentBefore(ctx, wallet, nonces, log)
  if (payment?.status !== 'PROCESSING' || !isTransferOf(payment, log)) return
  ctx.store.run('UPDATE wallet SET withdrawn = withdrawn - ? WHERE id = ?', payment.amount, wallet.id)
  dropWithdrawal(ctx, wallet, log)
  reduceMovementAt(ctx, wallet, log, payment.amount)
  bookOutgoing(ctx, wallet, log, true, payment)
}

/** What was signed for a Transfer: an authorization of USDC, or a send of a smart wallet. */
type SignedNonce = { authorization: Hex } | { send: bigint }

/** The nonce whose log is directly before this Transfer in the same transaction: together they prove who signed it. */
function nonceBefore(wallet: WalletRow, nonces: NonceLogs, transfer: Log): SignedNonce | null {
  const log = nonces.get(`${transfer.transactionHash}:${transfer.logIndex}`)
  const authorization = log && authorizationIn(log)
  if (authorization) return authorization.event === 'used' ? { authorization: authorization.nonce } : null
  if (!log || wallet.kind !== 'smart') return null
  return log.topics.length === 1 && log.data === '0x' ? { send: BigInt(log.topics[0]!) } : null
}

/** Whether a smart wallet paid this by an authorization of USDC, which only its session key can sign (Purchase.sol). */
function isPurchase(wallet: WalletRow, nonces: NonceLogs, transfer: Log): boolean {
  const nonce = nonceBefore(wallet, nonces, transfer)
  return wallet.kind === 'smart' && nonce !== null && 'authorization' in nonce
}

const isSigned = (wallet: WalletRow, nonces: NonceLogs, transfer: Log): boolean =>
  nonceBefore(wallet, nonces, transfer) !== null

/**
 * A purchase without a payment: someone else has the session key. While the account is restored it may be one that was lost, which
 * the restore lists.
 */
function haltIfNotOurs(ctx: Context, wallet: WalletRow, nonces: NonceLogs, transfer: Log): void {
  if (paymentBefore(ctx, wallet, nonces, transfer) !== null || ctx.store.meta('restore')?.begun) return
  halt(ctx, wallet.id, 'foreign_transfer', `a purchase that is not ours in ${transfer.transactionHash}`)
}

function paymentBefore(ctx: Context, wallet: WalletRow, nonces: NonceLogs, transfer: Log): PaymentRow | null {
  const nonce = nonceBefore(wallet, nonces, transfer)
  if (nonce === null) return null
  return 'send' in nonce ? paymentOf(ctx, wallet, nonce.send) : authorizedPayment(ctx, wallet, nonce.authorization)
}

const addressIn = (topic: Hex | undefined): Address => `0x${(topic ?? '').slice(26)}`

const payoutAt = (ctx: Context, address: Address) =>
  ctx.store.first<PayoutRow>('SELECT * FROM payout WHERE address = ? COLLATE NOCASE', address)

function paymentOf(ctx: Context, wallet: WalletRow, nonce: bigint): PaymentRow | null {
  const { epoch, sequence } = partsOfNonce(nonce)
  return ctx.store.first<PaymentRow>(
    'SELECT * FROM payment WHERE wallet_id = ? AND epoch = ? AND sequence = ?',
    ...[wallet.id, epoch, sequence],
  )
}

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

function bookOutgoing(ctx: Context, wallet: WalletRow, log: Log, signed: boolean, payment: PaymentRow | null): void {
  const { store } = ctx
  const value = Number(BigInt(log.data))
  const to = addressIn(log.topics[2])
  if (!payment) {
    // A withdrawal by the owner, or a send that a key signed and of which there is no record (a restore looks for these).
    const { origin } = bookWithdrawal(ctx, wallet, log, value)
    audit(store, ctx.now(), origin === 'owner' ? 'wallet.owner_withdrew' : 'wallet.withdrawn', wallet.id, {
      amount: formatColumn(value),
      to,
      tx: log.transactionHash,
      ...(signed && { signed: true, log: log.logIndex }),
    })
    tellMembers(ctx, log.transactionHash, fromColumn(value))
    return
  }
  const { transfer: event, submittedBy } = kindOf(payment)
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
  newlyConfirmed(ctx).push(store.payment(payment.id)!)
  const name = event === 'paid' ? 'payment.confirmed' : 'payment.funded'
  audit(store, ctx.now(), name, payment.id, { tx: log.transactionHash, block: log.blockNumber })
  recordChange(ctx, payment.id)
  // What costs no gas of ours earns none either.
  if (submittedBy === 'relayer') recordConfirmation(ctx, wallet.chain_id, fromColumn(value))
  keepBooking(ctx, wallet, log, { kind: event, value, ref: payment.id })
  if (event === 'paid') {
    settleSend(store, payment, ctx.now())
    if (submittedBy === 'seller') {
      countSettled(store, payment, 1)
      if (log.blockNumber <= wallet.final_block) store.run('UPDATE purchase SET offer = NULL WHERE id = ?', payment.id)
    }
    sendPaymentEvent(ctx, name, payment.id, payment.status)
    return
  }
  settleFunding(store, payment)
  sendPaymentEvent(ctx, name, payment.id, payment.status)
  store.run('UPDATE payout SET funded = 1 WHERE id = ?', payment.id)
  enqueuePayout(ctx, payment.id)
  makeReady(ctx, payment.id)
}

function bookWithdrawal(ctx: Context, wallet: WalletRow, log: Log, value: number): MovementRow {
  ctx.store.run('UPDATE wallet SET withdrawn = withdrawn + ? WHERE id = ?', value, wallet.id)
  const address = addressIn(log.topics[2])
  const movement = recordMovement(ctx, wallet, log, { kind: 'withdrawal', amount: value, address })
  keepBooking(ctx, wallet, log, { kind: 'left', value, ref: movement.id })
  return movement
}

function bookIncoming(ctx: Context, wallet: WalletRow, log: Log): void {
  const { store } = ctx
  const from = addressIn(log.topics[1])
  const value = Number(BigInt(log.data))
  const ours = payoutAt(ctx, from) !== null
  store.run(
    `UPDATE wallet SET ${ours ? 'returns = returns' : 'deposits = deposits'} + ? WHERE id = ?`,
    value,
    wallet.id,
  )
  const { id } = recordMovement(ctx, wallet, log, { kind: 'deposit', amount: value, address: from })
  keepBooking(ctx, wallet, log, { kind: ours ? 'returned' : 'deposited', value, ref: id })
  audit(store, ctx.now(), ours ? 'wallet.returned' : 'wallet.deposited', wallet.id, {
    amount: formatColumn(value),
    from,
    tx: log.transactionHash,
  })
}

/** Returns what came back to its wallet if this log was the payout's reclaim. */
function bookPayoutEnd(ctx: Context, log: Log): { wallet: WalletRow; amount: number } | null {
  const { store } = ctx
  const payout = payoutAt(ctx, addressIn(log.topics[1]))
  const payment = payout && store.payment(payout.id)
  // Money that third parties sent there before the funding arrived is not the payout's; moving it does not end the payout.
  if (!payout || !payment || payout.funded === 0 || BigInt(log.data) < fromColumn(payout.amount)) return null
  const to = addressIn(log.topics[2])
  const event = sameAddress(to, payout.payer) ? 'reclaimed' : 'withdrawn'
  const by = event === 'reclaimed' && { by: payout.action_by }
  const moved = movePayout(ctx, payout, event, { tx: log.transactionHash, to, ...by })
  if (!moved) return null
  const now = ctx.now()
  const withdrawn_to = event === 'withdrawn' ? to : null
  store.update('payout', payout.id, { done_tx: log.transactionHash, done_at: now, withdrawn_to, sealed_code: null })
  const status = nextPayment(payment.status, event)
  if (status !== null) store.run('UPDATE payment SET status = ? WHERE id = ?', status, payment.id)
  recordChange(ctx, payment.id)
  const wallet = store.wallet(payout.wallet_id)!
  keepBooking(ctx, wallet, log, { kind: event, value: payout.amount, ref: payout.id, status_before: payout.status })
  if (event === 'withdrawn') settleWithdrawn(store, payment, now)
  else if (log.blockNumber <= wallet.final_block) settleReclaimed(store, payment, now)
  // If the budget got the amount back now, it could be spent again before the return is undone.
  else store.run('UPDATE payout SET returned_block = ? WHERE id = ?', log.blockNumber, payout.id)
  sendPaymentEvent(ctx, `payout.${event}`, payment.id, payment.status)
  if (event === 'withdrawn') enqueue(ctx, 'mail.payout_claimed', payout.id)
  else enqueueReturn(ctx, payout)
  return event === 'reclaimed' ? { wallet, amount: payout.amount } : null
}

function bookAnnounced(ctx: Context, wallet: WalletRow, log: Log): void {
  const payout = ctx.store.first<PayoutRow>(
    'SELECT * FROM payout WHERE payout_hash = ? AND announced = 0',
    log.topics[1] ?? '',
  )
  if (!payout) return
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
