import { deadlineIsFinal, nonceOf } from '#domain/intent.ts'
import { kindOf } from '#domain/kinds/kinds.ts'
import { nextPayment } from '#domain/payment.ts'
import { authorizationIsOver, authorizationLogs } from '../../chain/authorization.ts'
import { addressTopic, nonceTopic, topics } from '../../chain/calls.ts'
import { purchaseIn } from '../../chain/purchase.ts'
import { type RangelessFilter, readLogs } from '../../chain/readLogs.ts'
import type { Block, Chain, Log } from '../../chain/types.ts'
import { logError } from '../../observability/log.ts'
import { finalizedBlock } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { stoppedSince } from '../core/stop.ts'
import { fromColumn } from '../core/storage/columns.ts'
import type { PaymentRow, PayoutRow, WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { release } from '../ledger/ledger.ts'
import { freeNumber } from '../ledger/purchaseNumbers.ts'
import { releaseGas } from '../limits/gas.ts'
import { recordChange } from '../outbox/changes.ts'
import { sendPaymentEvent } from '../outbox/events.ts'
import { movePayout } from '../payments/payouts/transitions.ts'
import { cancelledCode } from './booking.ts'
import { rescanFrom } from './scan.ts'

/** Fails payments that were not signed in time: no signature exists, so no money can ever move. */
export function failUnsigned(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  for (const payment of store.all<PaymentRow>(
    "SELECT * FROM payment WHERE wallet_id = ? AND status = 'QUEUED' AND give_up_at <= ?",
    wallet.id,
    // Stopped time does not count: a payment keeps the time that it had left when signing stopped.
    Math.min(stoppedSince(ctx) ?? ctx.now(), ctx.now()),
  ))
    store.transaction(() => {
      const error_message = kindOf(payment).released.unsigned
      const failed = { status: 'FAILED', error_code: 'not_sent', error_message } as const
      const isUnsigned = store.update('payment', payment.id, failed, { status: 'QUEUED', sig_version: 0 })
      if (isUnsigned) fail(ctx, payment, 'never signed')
    })
}

/** The only place that releases money of signed payments, and that returns payouts from a lapsed claim or reclaim. */
export async function releaseDead(ctx: Context, wallet: WalletRow, head: Block): Promise<void> {
  const { store } = ctx
  const payments = store.all<PaymentRow>(
    `SELECT * FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND (error_code = ? OR
       (max_deadline < ? AND NOT (give_up_at > ? AND epoch = ? AND revert IS NULL))) ORDER BY max_deadline LIMIT 20`,
    wallet.id,
    cancelledCode,
    head.timestamp,
    ...renewedLater(ctx, wallet, head),
  )
  const payouts = store.all<PayoutRow>(
    "SELECT * FROM payout WHERE wallet_id = ? AND status IN ('CLAIMING','RECLAIMING') AND action_deadline < ? LIMIT 20",
    wallet.id,
    head.timestamp,
  )
  if (payments.length + payouts.length === 0) return
  const final = await finalizedBlock(ctx, wallet.chain_id)

  for (const payment of payments) {
    const cancelled =
      payment.error_code === cancelledCode && (await cancellationExists(ctx, wallet, payment, final.number))
    // A cancelled authorization can never be used, so its deadline does not matter.
    if (!cancelled && !deadlineIsFinal(payment.max_deadline!, final.timestamp)) continue
    const found = await findNonceLog(ctx, wallet, payment, final.number)
    if (found) {
      rescanFrom(ctx, wallet.id, found.blockNumber)
      continue
    }
    if (!cancelled && (await wasUsed(ctx, wallet, payment, final))) {
      logError('log_hidden_by_node', { user: ctx.userId, payment: payment.id })
      continue
    }
    store.transaction(() => {
      // A signature made while the chain was being read takes precedence.
      const dead = store.run(
        "UPDATE payment SET status = 'FAILED', error_code = 'not_executed', error_message = ? WHERE id = ? AND status = 'PROCESSING' AND sig_version = ? AND (? OR max_deadline < ?)",
        cancelled
          ? 'Not sent: the authorization was cancelled with the wallet’s key. The amount is available again.'
          : kindOf(payment).released.dead,
        payment.id,
        payment.sig_version,
        cancelled ? 1 : 0,
        final.timestamp,
      )
      if (dead > 0) fail(ctx, payment, cancelled ? 'cancelled' : 'dead', final)
      if (dead > 0) releaseNumber(ctx, payment)
    })
  }
  for (const payout of payouts) {
    if (final.timestamp <= payout.action_deadline!) continue
    const end = await findPayoutEnd(ctx, wallet, payout, final.number)
    if (end) {
      rescanFrom(ctx, wallet.id, end.blockNumber)
      continue
    }
    store.transaction(() => {
      const now = store.payout(payout.id)!
      if (now.action_version !== payout.action_version) return
      const event = now.funded === 1 && now.announced === 1 ? 'lapsed' : 'lapsed_unready'
      movePayout(ctx, now, event, { action: payout.action, block: final.number })
      ctx.schedule('expiry', Math.max(ctx.now() + 30_000, payout.expires_at))
    })
  }
}

/**
 * While signing is stopped, payments of the current session (`epoch`) that had time left (`giveUpAfter`, ms) are not given
 * up, because they are signed again afterwards. Otherwise no payment is excepted.
 */
function renewedLater(ctx: Context, wallet: WalletRow, head: Block): [giveUpAfter: number, epoch: number] {
  const since = stoppedSince(ctx)
  const session = ctx.store.session(wallet.id)
  if (since === null || !session || session.valid_until < head.timestamp) return [Number.MAX_SAFE_INTEGER, -1]
  return [since, session.epoch]
}

/** True if the contract says that this nonce was used, so that a log must exist. A cross-check, never the proof. */
async function wasUsed(ctx: Context, wallet: WalletRow, payment: PaymentRow, final: Block): Promise<boolean> {
  if (payment.authorization !== null) {
    const chain = ctx.chains[wallet.chain_id]
    const isOver = await authorizationIsOver(chain, wallet.address, payment.authorization, final.number)
    return isOver && !(await cancellationExists(ctx, wallet, payment, final.number))
  }
  const state = await ctx.chains[wallet.chain_id].walletState(wallet.address)
  if (!state || state.epoch !== payment.epoch) return false
  const behind = state.top - nonceOf(payment.epoch, payment.sequence!)
  return behind >= 0n && behind < 128n && ((state.seen >> behind) & 1n) === 1n
}

/** A purchase that is proven dead gives its number back, which another one may then have. */
function releaseNumber({ store }: Context, payment: PaymentRow): void {
  const { id, wallet_id, epoch, authorization } = payment
  const isHandedOut = kindOf(payment).submittedBy === 'seller'
  const numbers = isHandedOut && epoch === null && authorization ? purchaseIn(authorization) : null
  if (!numbers) return
  store.update('payment', id, { authorization: null })
  freeNumber(store, wallet_id, numbers)
}

function fail(ctx: Context, payment: PaymentRow, why: string, final?: Block): void {
  if (nextPayment(payment.status, 'dead') !== 'FAILED')
    throw new Error(`payment ${payment.id} cannot fail from ${payment.status}`)
  release(ctx.store, payment, ctx.now())
  releaseGas(ctx, payment)
  audit(ctx.store, ctx.now(), 'payment.failed', payment.id, {
    why,
    ...(final && { finalizedBlock: final.number, finalizedAt: final.timestamp }),
  })
  recordChange(ctx, payment.id)
  sendPaymentEvent(ctx, 'payment.failed', payment.id, payment.status)
  const payout = kindOf(payment).transfer === 'funded' ? ctx.store.payout(payment.id) : null
  if (payout) movePayout(ctx, payout, 'dead')
}

/** Checks of one payment or payout on chain before money is released, made with every configured node. */

/** Minimum number of blocks to search, because only one node reported the newest block when something was signed. */
const minSearched = 4_000

export const searchFrom = (signedAtBlock: number, toBlock: number) =>
  Math.min(signedAtBlock, Math.max(0, toBlock - minSearched))

/** The nonce log of this payment up to `toBlock`; null if there is none. One node that has it is enough. */
export async function findNonceLog(
  ctx: Context,
  wallet: WalletRow,
  payment: PaymentRow,
  toBlock: number,
): Promise<Log | null> {
  const chain = ctx.chains[wallet.chain_id]
  const filter: RangelessFilter =
    payment.authorization === null
      ? { address: wallet.address, topics: [nonceTopic(nonceOf(payment.epoch!, payment.sequence!))] }
      : authorizationLogs(chain.usdc, wallet.address, { event: 'used', nonce: payment.authorization })
  const fromBlock = searchFrom(payment.first_block!, toBlock)
  return (await readEveryNode(chain, filter, fromBlock, toBlock)).flat()[0] ?? null
}

/** True if this payment's authorization was cancelled up to `toBlock`. Every node must have the log: it releases money. */
async function cancellationExists(
  ctx: Context,
  wallet: WalletRow,
  payment: PaymentRow,
  toBlock: number,
): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  const only = { event: 'cancelled' as const, nonce: payment.authorization! }
  const filter = authorizationLogs(chain.usdc, wallet.address, only)
  const found = await readEveryNode(chain, filter, searchFrom(payment.first_block!, toBlock), toBlock)
  return found.every((logs) => logs.length > 0)
}

/** The transfer that emptied the payout up to `toBlock`; null if there is none. Anyone can make a zero-value transfer. */
async function findPayoutEnd(ctx: Context, wallet: WalletRow, payout: PayoutRow, toBlock: number): Promise<Log | null> {
  const chain = ctx.chains[wallet.chain_id]
  const filter = { address: chain.usdc, topics: [topics.transfer, addressTopic(payout.address)] }
  const found = await readEveryNode(chain, filter, searchFrom(payout.action_block!, toBlock), toBlock)
  return found.flat().find((log) => BigInt(log.data) >= fromColumn(payout.amount)) ?? null
}

/** The logs that each configured node returns. */
export async function readEveryNode(
  chain: Chain,
  filter: RangelessFilter,
  fromBlock: number,
  toBlock: number,
): Promise<Log[][]> {
  const range = { fromBlock, toBlock }
  const [first = []] = await readLogs(chain, [filter], range, 'first')
  if (!chain.hasSecond) return [first]
  const [second = []] = await readLogs(chain, [filter], range, 'second')
  return [first, second]
}
