import type { DeskView } from '../claims/types.ts'
import { formatUsdc } from '../domain/money.ts'
import { remainingOf } from '../domain/policy.ts'
import type { RefusalFigures } from '../errors.ts'
import type { Escrow, Terms } from '../schemas/escrow.ts'
import type { Payment } from '../schemas/payment.ts'
import type { Transaction, TransactionCategory } from '../schemas/transaction.ts'
import type { Context } from './context.ts'
import { groupPolicy } from './ledger.ts'
import type { AgentRow, GroupRow, PaymentRow, PayoutRow, Store } from './store.ts'
import { chainName } from './wallets.ts'

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** Deleted agents keep their name in history. */
const agentName = (store: Store, id: string | null) =>
  id === null ? null : (store.first<AgentRow>('SELECT * FROM agent WHERE id = ?', id)?.name ?? null)

function categoryOf(payment: PaymentRow): TransactionCategory {
  if (payment.kind === 'payout') return 'escrow'
  return payment.to_type === 'contact' ? 'contact' : 'address'
}

export function transactionView(store: Store, payment: PaymentRow): Transaction {
  const wallet = store.wallet(payment.wallet_id)
  const agent = agentName(store, payment.agent_id)
  return {
    id: payment.id,
    category: categoryOf(payment),
    status: payment.status,
    amountUsdc: formatUsdc(BigInt(payment.amount)),
    createdAt: new Date(payment.created_at).toISOString(),
    agentId: payment.agent_id,
    agent: agent === null ? null : { name: agent },
    contactId: payment.contact_id,
    contact: payment.contact_name === null ? null : { name: payment.contact_name },
    toAddress: payment.to_address,
    fromWalletId: payment.wallet_id,
    fromWallet: wallet && { name: wallet.name, address: wallet.address },
    fromWalletChain: chainName(wallet?.chain_id ?? 8453),
    txHash: payment.tx_hash,
    memo: payment.memo,
    errorMessage: payment.error_message,
    recipientEmail: payment.recipient_email,
    recipientPhone: payment.recipient_phone,
    escrowId: payment.kind === 'payout' && payment.refusal === null ? payment.id : null,
    policyGroupId: payment.group_id,
    refusal: refusalView(payment),
    timeline: {
      decidedAt: new Date(payment.created_at).toISOString(),
      signedAt: iso(payment.signed_at),
      broadcastAt: iso(payment.broadcast_at),
      confirmedAt: iso(payment.confirmed_at),
    },
  }
}

function refusalView(payment: PaymentRow): Transaction['refusal'] {
  if (payment.refusal === null) return null
  const { refusal } = JSON.parse(payment.refusal) as { refusal?: Partial<RefusalFigures> }
  if (!refusal?.rule) return null
  return {
    rule: refusal.rule,
    next: refusal.next ?? '',
    policyVersion: payment.policy_version,
    limit: refusal.limit ?? null,
    spent: refusal.spent ?? null,
    held: refusal.held ?? null,
    remaining: refusal.remaining ?? null,
    maxAllowedNow: refusal.max_allowed_now ?? null,
  }
}

/** The later transaction of an ended payout: its own row with its own hash and the same escrowId (decisions.md 28). */
export function companionView(store: Store, payment: PaymentRow, payout: PayoutRow): Transaction | null {
  if (payout.done_tx === null || payout.done_at === null) return null
  const at = new Date(payout.done_at).toISOString()
  const withdrawn = payout.status === 'WITHDRAWN'
  return {
    ...transactionView(store, payment),
    id: `${payment.id}:${withdrawn ? 'withdraw' : 'reclaim'}`,
    category: withdrawn ? 'escrow_withdraw' : 'escrow_reclaim',
    status: 'CONFIRMED',
    createdAt: at,
    toAddress: withdrawn ? payout.withdrawn_to : payout.payer,
    txHash: payout.done_tx,
    timeline: { decidedAt: at, signedAt: at, broadcastAt: at, confirmedAt: at },
  }
}

/** CLAIMING and RECLAIMING are shown as CREATED. */
const shownStatus = (payout: PayoutRow): Escrow['status'] =>
  payout.status === 'CLAIMING' || payout.status === 'RECLAIMING' ? 'CREATED' : payout.status

export const termsView = (payout: PayoutRow): Terms => ({
  payer: payout.payer,
  claimKey: payout.claim_key,
  reclaimKey: payout.reclaim_key,
  amount: String(payout.amount),
  expiry: payout.expiry,
})

export function escrowView(store: Store, payout: PayoutRow): Escrow {
  const payment = store.payment(payout.id)!
  const wallet = store.wallet(payout.wallet_id)
  const agent = agentName(store, payment.agent_id)
  return {
    id: payout.id,
    escrowId: payout.id,
    sourceWallet: wallet && {
      id: wallet.id,
      name: wallet.name,
      address: wallet.address,
      chain: chainName(wallet.chain_id),
    },
    amount: formatUsdc(BigInt(payout.amount)),
    status: shownStatus(payout),
    inProgress: payout.status === 'CLAIMING' ? 'claim' : payout.status === 'RECLAIMING' ? 'reclaim' : null,
    recipientEmail: payment.recipient_email,
    recipientPhone: payment.recipient_phone,
    memo: payment.memo,
    createdAt: new Date(payout.created_at).toISOString(),
    updatedAt: new Date(payout.updated_at).toISOString(),
    expiresAt: new Date(payout.expires_at).toISOString(),
    claimedAt: payout.status === 'WITHDRAWN' ? iso(payout.done_at) : null,
    withdrawnAt: payout.status === 'WITHDRAWN' ? iso(payout.done_at) : null,
    withdrawnToAddress: payout.withdrawn_to,
    escrowSubwalletAddress: payout.address,
    txHash: payout.done_tx ?? payout.action_tx ?? payment.tx_hash,
    fundingTxHash: payment.tx_hash,
    errorMessage: payment.error_message,
    agent: payment.agent_id === null || agent === null ? null : { id: payment.agent_id, name: agent },
    terms: termsView(payout),
  }
}

const groupOf = (store: Store, { group_id }: PaymentRow) =>
  group_id === null ? null : store.first<GroupRow>('SELECT * FROM policy_group WHERE id = ?', group_id)

/** An agent's payment with its group's budget as it is now; `group`: that row, where the caller has just read it. */
export function paymentView(store: Store, payment: PaymentRow, group = groupOf(store, payment)): Payment {
  return {
    id: payment.id,
    object: 'payment',
    status: payment.status,
    amount: formatUsdc(BigInt(payment.amount)),
    to: {
      type: payment.to_type,
      ...(payment.contact_id !== null && { contactId: payment.contact_id }),
      ...(payment.kind === 'send' && payment.to_address !== null && { address: payment.to_address }),
      ...(payment.recipient_email !== null && { email: payment.recipient_email }),
      ...(payment.recipient_phone !== null && { phone: payment.recipient_phone }),
    },
    memo: payment.memo,
    tx_hash: payment.tx_hash,
    error: payment.error_code === null ? null : { code: payment.error_code, message: payment.error_message ?? '' },
    created_at: new Date(payment.created_at).toISOString(),
    signed_at: iso(payment.signed_at),
    confirmed_at: iso(payment.confirmed_at),
    budget: budgetView(group),
  }
}

/** Decimal USDC. Payments of the user have no group, so no limit. */
export function budgetView(group: GroupRow | null): Payment['budget'] {
  if (!group) return { limit: null, spent: '0', held: '0', remaining: null }
  const { budget } = groupPolicy(group, null, false)
  const remaining = remainingOf(budget)
  return {
    limit: budget.limit === null ? null : formatUsdc(budget.limit),
    spent: formatUsdc(budget.spent),
    held: formatUsdc(budget.held),
    remaining: remaining === null ? null : formatUsdc(remaining),
  }
}

/** What the claim page's object is told. */
export function deskView(ctx: Context, payout: PayoutRow, edition: number): DeskView {
  const payment = ctx.store.payment(payout.id)!
  return {
    edition,
    userId: ctx.userId,
    payoutId: payout.id,
    chainId: ctx.store.wallet(payout.wallet_id)!.chain_id,
    amount: formatUsdc(BigInt(payout.amount)),
    status: payout.status,
    expiresAt: payout.expires_at,
    escrowAddress: payout.address,
    payer: payout.payer,
    senderName: payout.sender_name,
    memo: payment.memo,
    channel: payment.recipient_email === null ? 'sms' : 'email',
    recipientMasked:
      payment.recipient_email === null ? maskPhone(payment.recipient_phone ?? '') : maskEmail(payment.recipient_email),
    txHash: payout.done_tx ?? (payout.action === 'claim' ? payout.action_tx : null),
    withdrawnTo: payout.withdrawn_to,
    codeHmac: payout.code_hmac,
    codeVersion: payout.code_version,
    triesVersion: payout.tries_version,
  }
}

/** 'ada@example.com' → 'a***@example.com' */
export const maskEmail = (email: string) => email.replace(/^(.).*@/, '$1***@')
/** '+14155550123' → '+1 *** *** 23' */
export const maskPhone = (phone: string) => `${phone.slice(0, 2)} *** *** ${phone.slice(-2)}`
