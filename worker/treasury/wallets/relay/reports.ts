import { kindOf } from '#domain/kinds/kinds.ts'
import type { ChainId, Hex, Log } from '../../../chain/types.ts'
import type { JobRef, JobReport } from '../../../relayer/api.ts'
import type { Context } from '../../core/context.ts'
import { forgetRecipient } from '../../core/knownRecipients.ts'
import { expectMined, minedLogs } from '../../core/minedReports.ts'
import type { SendOnRow, WalletRow } from '../../core/storage/rows.ts'
import { correctGas, recordFailure } from '../../limits/gas.ts'
import { recordChange } from '../../outbox/changes.ts'
import { enqueuePayout } from '../../outbox/enqueue.ts'

/**
 * Stores what the Relayer reports: transaction hashes, which are shown to people, gas, and payments that the contract
 * refuses. Reports alone never settle anything; they say when to read the chain, and with which logs.
 */
export function applyReports(ctx: Context, reports: readonly JobReport[]): void {
  ctx.store.transaction(() => {
    for (const { ref, state, txHash, block, logs, gasUsed, reverts, reason } of reports) {
      if (!ref) continue
      if (txHash) recordHash(ctx, ref, txHash)
      if (gasUsed !== undefined) recordGas(ctx, ref, gasUsed)
      if (ref.type === 'payment' && logs) recordLogs(ctx, ref.paymentId, logs)
      if (ref.type === 'payment') recordRevert(ctx, ref, reverts ? (reason ?? 'reverted') : null)
      if (ref.type === 'deploy') recordDeployProblem(ctx, ref.walletId, txHash ? null : (reason ?? null))
      const chainId = openOn(ctx, ref)
      if (chainId !== null && block !== undefined) expectMined(ctx, chainId, block)
      // It may have to be signed again.
      if (chainId !== null && state === 'dropped') ctx.schedule('settle', ctx.now())
    }
  })
}

/** The chain of what the job is for; null if that is settled already. */
function openOn(ctx: Context, ref: JobRef): ChainId | null {
  if (ref.type !== 'sendOn') return openWallet(ctx, ref)?.chain_id ?? null
  const row = ctx.store.first<SendOnRow>(
    "SELECT * FROM send_on WHERE payout_id = ? AND nonce = ? AND status = 'PROCESSING'",
    ...[ref.payoutId, ref.nonce],
  )
  return row?.chain_id ?? null
}

/** The wallet of what the job is for; null if that is settled already. */
function openWallet({ store }: Context, ref: Exclude<JobRef, { type: 'sendOn' }>): WalletRow | null {
  switch (ref.type) {
    case 'payment': {
      const payment = store.payment(ref.paymentId)
      return payment?.status === 'PROCESSING' ? store.wallet(payment.wallet_id) : null
    }
    case 'announce':
    case 'claim':
    case 'reclaim': {
      const payout = store.payout(ref.payoutId)
      const isOpen = payout && ['CREATING', 'CLAIMING', 'RECLAIMING'].includes(payout.status)
      return isOpen ? store.wallet(payout.wallet_id) : null
    }
    case 'deploy': {
      const wallet = store.wallet(ref.walletId)
      return wallet?.status === 'deploying' ? wallet : null
    }
    case 'walletAction': {
      const action = store.walletAction(ref.actionId)
      return action?.ended_at === null ? store.wallet(action.wallet_id) : null
    }
  }
}

/** Two sends in one transaction are reported with the same logs. */
function recordLogs(ctx: Context, paymentId: string, logs: Log[]): void {
  const payment = ctx.store.payment(paymentId)
  if (payment?.status !== 'PROCESSING') return
  const known = minedLogs(ctx).get(payment.wallet_id) ?? []
  const all = new Map([...known, ...logs].map((log) => [`${log.blockHash}:${log.logIndex}`, log]))
  minedLogs(ctx).set(payment.wallet_id, [...all.values()])
}

const stepOf = { payment: 'send', announce: 'announce', claim: 'end', reclaim: 'end' } as const

/** The others keep the gas that was estimated for them. */
function recordGas(ctx: Context, ref: JobRef, gasUsed: number): void {
  if (ref.type === 'deploy' || ref.type === 'walletAction' || ref.type === 'sendOn') return
  const payment = ctx.store.payment(ref.type === 'payment' ? ref.paymentId : ref.payoutId)
  if (payment) correctGas(ctx, payment, stepOf[ref.type], gasUsed)
}

/** A payment that the contract refuses is not signed again, and its recipient is looked up again before the next payment. */
function recordRevert(ctx: Context, ref: JobRef & { type: 'payment' }, revert: string | null): void {
  const payment = ctx.store.payment(ref.paymentId)
  if (payment?.status !== 'PROCESSING' || payment.sig_version !== ref.version || payment.revert === revert) return
  ctx.store.run('UPDATE payment SET revert = ? WHERE id = ?', revert, payment.id)
  if (revert === null) return
  recordFailure(ctx)
  const wallet = ctx.store.wallet(payment.wallet_id)
  if (wallet && kindOf(payment).paidTo === 'address') forgetRecipient(ctx, wallet, payment.to_address!)
}

const refusals: Record<string, string> = {
  frozen: 'Transactions of this account are stopped',
  full: 'No new work is being accepted at present',
}

/** Stores why the wallet is not on chain yet, to show to its owner; null if unknown. The deployment continues. */
export function recordDeployProblem(ctx: Context, walletId: string, reason: string | null): void {
  const text = reason && (refusals[reason] ?? reason)
  ctx.store.run("UPDATE wallet SET error = ? WHERE id = ? AND status = 'deploying'", text, walletId)
}

function recordHash(ctx: Context, ref: JobRef, txHash: Hex): void {
  const { store } = ctx
  switch (ref.type) {
    case 'announce':
      return
    case 'deploy':
      store.run('UPDATE wallet SET deploy_tx = ? WHERE id = ?', txHash, ref.walletId)
      return
    case 'walletAction':
      store.run('UPDATE wallet_action SET tx_hash = ? WHERE id = ?', txHash, ref.actionId)
      return
    case 'sendOn':
      store.run(
        "UPDATE send_on SET tx_hash = ? WHERE payout_id = ? AND nonce = ? AND status = 'PROCESSING'",
        ...[txHash, ref.payoutId, ref.nonce],
      )
      return
    case 'claim':
    case 'reclaim': {
      const noted = store.run(
        `UPDATE payout SET action_tx = ? WHERE id = ? AND action_version = ?
           AND status IN ('CLAIMING','RECLAIMING') AND action_tx IS NOT ?`,
        txHash,
        ref.payoutId,
        ref.version,
        txHash,
      )
      if (noted > 0) enqueuePayout(ctx, ref.payoutId)
      return
    }
    case 'payment': {
      const noted = store.run(
        `UPDATE payment SET tx_hash = ?, broadcast_at = coalesce(broadcast_at, ?)
         WHERE id = ? AND status = 'PROCESSING' AND tx_hash IS NOT ?`,
        txHash,
        ctx.now(),
        ref.paymentId,
        txHash,
      )
      if (noted > 0) recordChange(ctx, ref.paymentId)
    }
  }
}
