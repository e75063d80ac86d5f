import { maskedEmail } from '#domain/email.ts'
import { chainNameOf } from '#domain/networks.ts'
import { notesOf } from '#domain/paymentNotes.ts'
import { isoOf } from '#domain/time.ts'
import type { CreateEscrowReply, Escrow, Terms } from '#schemas/escrow.ts'
import type { DeskView } from '../../../claims/api.ts'
import type { Context } from '../../core/context.ts'
import { formatColumn } from '../../core/storage/columns.ts'
import type { PayoutRow } from '../../core/storage/rows.ts'
import { claimUrlOf, openCode } from './codes.ts'

/** CLAIMING and RECLAIMING are shown as CREATED. */
const shownStatus = (payout: PayoutRow): Escrow['status'] =>
  payout.status === 'CLAIMING' || payout.status === 'RECLAIMING' ? 'CREATED' : payout.status

/** `escrow` is missing if the settings lack the payout's contract set. */
export function termsView(ctx: Context, payout: PayoutRow): Terms {
  const { sets } = ctx.chains[ctx.store.wallet(payout.wallet_id)!.chain_id].contractSets
  return {
    payer: payout.payer,
    claimKey: payout.claim_key,
    reclaimKey: payout.reclaim_key,
    amount: String(payout.amount),
    expiry: payout.expiry,
    contractSet: payout.contract_set,
    ...(sets[payout.contract_set] && { escrow: sets[payout.contract_set]!.escrow }),
  }
}

export function escrowView(ctx: Context, payout: PayoutRow): Escrow {
  const { store } = ctx
  const payment = store.payment(payout.id)!
  const wallet = store.wallet(payout.wallet_id)
  const agent = store.agentName(payment.agent_id)
  return {
    id: payout.id,
    escrowId: payout.id,
    sourceWallet: wallet && {
      id: wallet.id,
      name: wallet.name,
      address: wallet.address,
      chain: chainNameOf(wallet.chain_id),
    },
    amount: formatColumn(payout.amount),
    status: shownStatus(payout),
    inProgress: payout.status === 'CLAIMING' ? 'claim' : payout.status === 'RECLAIMING' ? 'reclaim' : null,
    recipientEmail: payment.recipient_email,
    recipientPhone: payment.recipient_phone,
    ...notesOf(payment),
    createdAt: isoOf(payout.created_at),
    updatedAt: isoOf(payout.updated_at),
    expiresAt: isoOf(payout.expires_at),
    fundedAt: payout.funded === 1 ? isoOf(payment.confirmed_at ?? payout.created_at) : null,
    claimedAt: payout.status === 'WITHDRAWN' ? isoOf(payout.done_at) : null,
    withdrawnAt: payout.status === 'WITHDRAWN' ? isoOf(payout.done_at) : null,
    reclaimedAt: payout.status === 'RECLAIMED' ? isoOf(payout.done_at) : null,
    withdrawnToAddress: payout.withdrawn_to,
    escrowSubwalletAddress: payout.address,
    txHash: payout.done_tx ?? payout.action_tx ?? payment.tx_hash,
    fundingTxHash: payment.tx_hash,
    errorMessage: payment.error_message,
    agent: payment.agent_id === null || agent === null ? null : { id: payment.agent_id, name: agent },
    terms: termsView(ctx, payout),
    ...(payout.taken_down_at !== null && { linkTakenDown: true as const }),
  }
}

/** The payout as its ClaimDesk keeps it. */
export function deskView(ctx: Context, payout: PayoutRow, edition: number): DeskView {
  const payment = ctx.store.payment(payout.id)!
  return {
    edition,
    userId: ctx.userId,
    payoutId: payout.id,
    tokenHash: payout.token_hash,
    chainId: ctx.store.wallet(payout.wallet_id)!.chain_id,
    amount: formatColumn(payout.amount),
    status: payout.status,
    expiresAt: payout.expires_at,
    escrowAddress: payout.address,
    payer: payout.payer,
    senderName: payout.sender_name,
    memo: payment.memo,
    channel: payment.recipient_email === null ? 'sms' : 'email',
    recipientMasked:
      payment.recipient_email === null
        ? maskPhone(payment.recipient_phone ?? '')
        : maskedEmail(payment.recipient_email),
    txHash: payout.done_tx ?? (payout.action === 'claim' ? payout.action_tx : null),
    withdrawnTo: payout.withdrawn_to,
    keptDomain: payout.withdrawn_to === null ? null : payout.kept_domain,
    withdrawnAt: payout.status === 'WITHDRAWN' ? payout.done_at : null,
    codeHmac: payout.code_hmac,
    codeVersion: payout.code_version,
    triesVersion: payout.tries_version,
    isDown: payout.taken_down_at !== null,
  }
}

/** '+14155550123' → '+1 *** *** 23' */
const maskPhone = (phone: string) => `${phone.slice(0, 2)} *** *** ${phone.slice(-2)}`

/** The reply that the sender of a new payout sees once. `passcode` is null after ten minutes or once it has been renewed. */
export async function createdPayout(ctx: Context, payoutId: string): Promise<Omit<CreateEscrowReply, 'rows'>> {
  const payout = ctx.store.payout(payoutId)!
  return {
    id: payout.id,
    escrowId: payout.id,
    claimUrl: await claimUrlOf(ctx, payout),
    passcode: ctx.now() < payout.code_until ? await openCode(ctx, payout) : null,
    escrowSubwalletAddress: payout.address,
    fundingTxHash: ctx.store.payment(payout.id)?.tx_hash ?? null,
    expiresAt: isoOf(payout.expires_at),
    terms: termsView(ctx, payout),
  }
}
