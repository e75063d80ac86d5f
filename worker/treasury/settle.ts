import { authorizationIsOver } from '../chain/authorization.ts'
import type { Block } from '../chain/types.ts'
import { nonceOf, provablyDead } from '../domain/intent.ts'
import { nextPayment } from '../domain/payment.ts'
import { audit } from './audit.ts'
import { canceledCode } from './booking.ts'
import { type Context, freshHead } from './context.ts'
import { release } from './ledger.ts'
import { changed } from './outbox.ts'
import { movePayout } from './payouts.ts'
import { cancellationExists, nonceLogExists, payoutMoved } from './proofs.ts'
import { rescanFrom, scanWallet } from './scan.ts'
import { loadSessionKey, signAgain, signQueued } from './sign.ts'
import type { PaymentRow, PayoutRow, WalletRow } from './store.ts'
import { followActions, hasOpenAction } from './walletActions.ts'
import { followDeploy, readSession } from './wallets.ts'

/**
 * One look at the chain for everything of this user that is not final. Confirm fast, release slow, never guess:
 * an unreachable node changes nothing. A wallet in trouble holds up no other one. True while something is still open.
 */
export async function settle(ctx: Context): Promise<boolean> {
  const { store } = ctx
  const openWallets = () =>
    store
      .all<WalletRow>("SELECT * FROM wallet WHERE status IN ('deploying','active')")
      .filter((wallet) => wallet.status === 'deploying' || isBusy(ctx, wallet))
  const looks = await Promise.allSettled(openWallets().map((wallet) => settleWallet(ctx, wallet)))
  const failed = looks.filter((look) => look.status === 'rejected')
  if (failed.length > 0 && failed.length === looks.length) throw failed[0]!.reason
  for (const { reason } of failed) console.error('wallet not settled, will be repeated', reason)
  return openWallets().length > 0
}

async function settleWallet(ctx: Context, wallet: WalletRow): Promise<void> {
  if (wallet.status === 'deploying') return followDeploy(ctx, wallet)
  const { store } = ctx
  failUnsigned(ctx, wallet)
  const head = await freshHead(ctx, wallet.chain_id, 0)
  await scanWallet(ctx, wallet.id, head)
  await followActions(ctx, wallet, head)
  if (hasUnsigned(ctx, wallet) || isExpiring(ctx, wallet, head)) {
    await readSession(ctx, wallet)
    await loadSessionKey(ctx, wallet)
    store.transaction(() => {
      const now = store.wallet(wallet.id)!
      signAgain(ctx, now, head)
      signQueued(ctx, now, head)
    })
  }
  await releaseDead(ctx, wallet, head)
}

/** Something is between decision and finality. An open payout alone is not: it may wait for weeks. */
export function isBusy(ctx: Context, wallet: WalletRow): boolean {
  return (
    ctx.store.first(
      "SELECT 1 FROM payment WHERE wallet_id = ? AND status IN ('QUEUED','PROCESSING') LIMIT 1",
      wallet.id,
    ) !== null ||
    ctx.store.first(
      "SELECT 1 FROM payout WHERE wallet_id = ? AND status IN ('CREATING','CLAIMING','RECLAIMING') LIMIT 1",
      wallet.id,
    ) !== null ||
    hasOpenAction(ctx, wallet.id)
  )
}

const hasUnsigned = (ctx: Context, wallet: WalletRow) =>
  ctx.store.first("SELECT 1 FROM payment WHERE wallet_id = ? AND status = 'QUEUED' LIMIT 1", wallet.id) !== null

const isExpiring = (ctx: Context, wallet: WalletRow, head: Block) =>
  ctx.store.first(
    "SELECT 1 FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND deadline < ? LIMIT 1",
    wallet.id,
    head.timestamp + 60,
  ) !== null

/** Never signed and past its time: nothing can ever move, so it may fail at once. */
function failUnsigned(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  for (const payment of store.all<PaymentRow>(
    "SELECT * FROM payment WHERE wallet_id = ? AND status = 'QUEUED' AND give_up_at <= ?",
    wallet.id,
    ctx.now(),
  ))
    store.transaction(() => {
      const still = store.run(
        "UPDATE payment SET status = 'FAILED', error_code = 'not_sent', error_message = ? WHERE id = ? AND status = 'QUEUED' AND sig_version = 0",
        'Not sent: the wallet could not sign in time. The amount is available again.',
        payment.id,
      )
      if (still > 0) fail(ctx, payment, 'never signed')
    })
}

/** The only place that releases money of signed payments, and that gives a payout back from a lapsed claim or reclaim. */
async function releaseDead(ctx: Context, wallet: WalletRow, head: Block): Promise<void> {
  const { store } = ctx
  const payments = store.all<PaymentRow>(
    "SELECT * FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND (max_deadline < ? OR error_code = ?) LIMIT 20",
    wallet.id,
    head.timestamp,
    canceledCode,
  )
  const payouts = store.all<PayoutRow>(
    "SELECT * FROM payout WHERE wallet_id = ? AND status IN ('CLAIMING','RECLAIMING') AND action_deadline < ? LIMIT 20",
    wallet.id,
    head.timestamp,
  )
  if (payments.length + payouts.length === 0) return
  const final = await ctx.chains[wallet.chain_id].finalized()

  for (const payment of payments) {
    const canceled =
      payment.error_code === canceledCode && (await cancellationExists(ctx, wallet, payment, final.number))
    // A cancelled authorization can never be used, so its deadline need not pass.
    if (!canceled && final.timestamp <= payment.max_deadline!) continue
    const found = await nonceLogExists(ctx, wallet, payment, final.number)
    if (found) {
      rescanFrom(ctx, wallet.id, payment.first_block!)
      continue
    }
    if (!canceled && (await wasUsed(ctx, wallet, payment, final))) {
      console.error('the node hides the log of', payment.id)
      continue
    }
    if (!canceled && !provablyDead(payment.max_deadline!, final.timestamp, found)) continue
    store.transaction(() => {
      // A signature made while we were reading the chain wins (threats.md A2).
      const dead = store.run(
        "UPDATE payment SET status = 'FAILED', error_code = 'not_executed', error_message = ? WHERE id = ? AND status = 'PROCESSING' AND sig_version = ? AND (? OR max_deadline < ?)",
        canceled
          ? 'Not sent: the authorization was cancelled with the wallet’s key. The amount is available again.'
          : 'Not sent: the payment did not reach the chain in time. The amount is available again.',
        payment.id,
        payment.sig_version,
        canceled ? 1 : 0,
        final.timestamp,
      )
      if (dead > 0) fail(ctx, payment, canceled ? 'canceled' : 'dead', final)
    })
  }
  for (const payout of payouts) {
    if (final.timestamp <= payout.action_deadline!) continue
    if (await payoutMoved(ctx, wallet, payout, final.number)) {
      rescanFrom(ctx, wallet.id, payout.action_block!)
      continue
    }
    store.transaction(() => {
      const now = store.payout(payout.id)!
      if (now.action_version !== payout.action_version) return
      movePayout(ctx, now, 'lapsed', { action: payout.action, block: final.number })
      ctx.wake('expiry', Math.max(ctx.now() + 30_000, payout.expires_at))
    })
  }
}

/** Cross-check, never the proof: the chain itself says that this nonce was used, so a log must exist somewhere. */
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

function fail(ctx: Context, payment: PaymentRow, why: string, final?: Block): void {
  if (nextPayment(payment.status, 'dead') !== 'FAILED')
    throw new Error(`payment ${payment.id} cannot fail from ${payment.status}`)
  release(ctx.store, payment)
  audit(ctx.store, ctx.now(), 'payment.failed', payment.id, {
    why,
    ...(final && { finalizedBlock: final.number, finalizedAt: final.timestamp }),
  })
  changed(ctx, 'payment', payment.id)
  const payout = payment.kind === 'payout' ? ctx.store.payout(payment.id) : null
  if (payout) movePayout(ctx, payout, 'dead')
}
