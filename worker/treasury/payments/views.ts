import { kindOf } from '#domain/kinds/kinds.ts'
import { chainNameOf } from '#domain/networks.ts'
import { notesOf } from '#domain/paymentNotes.ts'
import { isoOf } from '#domain/time.ts'
import type { Payment } from '#schemas/payment.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { RecordedRefusal } from '../../result.ts'
import { approvalReference } from '../approvals/views.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { PaymentRow, PayoutRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { budgetView } from '../policies/budgets.ts'
import { receiptOf } from './purchases/offers.ts'

export function transactionView(store: Store, payment: PaymentRow): Transaction {
  const wallet = store.wallet(payment.wallet_id)!
  const agent = store.agentName(payment.agent_id)
  return {
    id: payment.id,
    category: kindOf(payment).category(payment.to_type),
    status: payment.status === 'PENDING_APPROVAL' ? 'PENDING' : payment.status,
    amountUsdc: formatColumn(payment.amount),
    createdAt: isoOf(payment.accepted_at ?? payment.created_at),
    agentId: payment.agent_id,
    agent: agent === null ? null : { name: agent },
    contactId: payment.contact_id,
    contact: payment.contact_name === null ? null : { name: payment.contact_name },
    toAddress: payment.to_address,
    toWallet: store.walletAt(wallet.chain_id, payment.to_address),
    fromAddress: null,
    origin: null,
    fromWalletId: payment.wallet_id,
    fromWallet: { name: wallet.name, address: wallet.address },
    fromWalletChain: chainNameOf(wallet.chain_id),
    txHash: payment.tx_hash,
    ...notesOf(payment),
    errorMessage: payment.error_message,
    recipientEmail: payment.recipient_email,
    recipientPhone: payment.recipient_phone,
    resource: payment.resource,
    validBefore:
      kindOf(payment).submittedBy === 'seller' && payment.status === 'PROCESSING'
        ? isoOf(payment.deadline! * 1000)
        : null,
    served: receiptOf(store, payment)?.served ?? null,
    escrowId: kindOf(payment).transfer === 'funded' && payment.accepted_at !== null ? payment.id : null,
    policyGroupId: payment.group_id,
    runId: payment.run_id,
    approvalId: payment.approval_id,
    refusal: refusalView(payment),
    timeline: {
      decidedAt: isoOf(payment.accepted_at ?? payment.created_at),
      signedAt: isoOf(payment.signed_at),
      broadcastAt: isoOf(payment.broadcast_at),
      confirmedAt: isoOf(payment.confirmed_at),
    },
  }
}

function refusalView(payment: PaymentRow): Transaction['refusal'] {
  if (payment.refusal === null) return null
  const { refusal } = JSON.parse(payment.refusal) as { refusal?: RecordedRefusal }
  if (!refusal?.rule) return null
  return {
    rule: refusal.rule,
    next: refusal.next_for_owner ?? refusal.next ?? '',
    policyVersion: payment.policy_version,
    limit: refusal.limit ?? null,
    spent: refusal.spent ?? null,
    held: refusal.held ?? null,
    remaining: refusal.remaining ?? null,
    count: refusal.count ?? null,
    maxAllowedNow: refusal.max_allowed_now ?? null,
  }
}

const groupOf = ({ store }: Context, { group_id }: PaymentRow) => (group_id === null ? null : store.anyGroup(group_id))

/** A payment as shown in /v1, with its group's current budget. Pass `group` if its row has just been read. */
export function paymentView(ctx: Context, payment: PaymentRow, group = groupOf(ctx, payment)): Payment {
  return {
    id: payment.id,
    object: 'payment',
    status: payment.status,
    amount: formatColumn(payment.amount),
    to: {
      type: payment.to_type,
      ...(payment.contact_id !== null && { contactId: payment.contact_id }),
      // Other payments may be to a contact that the owner hasn't shown to the agent.
      ...(payment.to_type === 'contact' && payment.contact_name !== null && { name: payment.contact_name }),
      ...(kindOf(payment).paidTo !== 'emailOrPhone' && payment.to_address !== null && { address: payment.to_address }),
      ...(payment.recipient_email !== null && { email: payment.recipient_email }),
      ...(payment.recipient_phone !== null && { phone: payment.recipient_phone }),
      ...(payment.resource !== null && { resource: payment.resource }),
    },
    ...notesOf(payment),
    tx_hash: payment.tx_hash,
    error: payment.error_code === null ? null : { code: payment.error_code, message: payment.error_message ?? '' },
    created_at: isoOf(payment.created_at),
    accepted_at: isoOf(payment.accepted_at),
    signed_at: isoOf(payment.signed_at),
    confirmed_at: isoOf(payment.confirmed_at),
    approval: approvalOf(ctx, payment),
    receipt: receiptOf(ctx.store, payment),
    budget: budgetView(group),
  }
}

/** Null if the payment needed no approval. */
function approvalOf(ctx: Context, { approval_id, accepted_at }: PaymentRow): Payment['approval'] {
  const row = approval_id === null ? null : ctx.store.approval(approval_id)
  if (!row) return null
  // An accepted payment is approved, even while the approving transaction still runs.
  return { ...approvalReference(ctx, row), ...(accepted_at !== null && { status: 'APPROVED' }) }
}

/** Ids of a payout's withdrawal and reclaim in the transaction list. */
export const companionIds = ({ id }: PaymentRow) => [`${id}:withdraw`, `${id}:reclaim`] as const

/** The transaction that ended a payout, listed next to its funding with the same escrowId. Null if it has not ended. */
export function companionView(store: Store, payment: PaymentRow, payout: PayoutRow): Transaction | null {
  if (payout.done_tx === null || payout.done_at === null) return null
  const at = isoOf(payout.done_at)
  const withdrawn = payout.status === 'WITHDRAWN'
  const toAddress = withdrawn ? payout.withdrawn_to : payout.payer
  return {
    ...transactionView(store, payment),
    id: companionIds(payment)[withdrawn ? 0 : 1],
    category: withdrawn ? 'escrow_withdraw' : 'escrow_reclaim',
    status: 'CONFIRMED',
    createdAt: at,
    toAddress,
    toWallet: store.walletAt(store.wallet(payment.wallet_id)!.chain_id, toAddress),
    txHash: payout.done_tx,
    timeline: { decidedAt: at, signedAt: at, broadcastAt: at, confirmedAt: at },
  }
}
