import { type TransactionStatus, type TransactionStatusGroup, transactionStatusGroups } from '#domain/listFilters.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Tone } from './tone.ts'

const isIn = (group: TransactionStatusGroup, status: TransactionStatus) =>
  (transactionStatusGroups[group] as readonly TransactionStatus[]).includes(status)

/** The status as shown to people. Unknown statuses are shown as Pending. */
export function displayStatus(status: TransactionStatus): { label: 'Completed' | 'Failed' | 'Pending'; tone: Tone } {
  if (isIn('completed', status)) return { label: 'Completed', tone: 'good' }
  if (isIn('failed', status)) return { label: 'Failed', tone: 'bad' }
  return { label: 'Pending', tone: 'waiting' }
}

/** Whether polling can stop. A funded payout counts as final, since it may stay unclaimed for weeks. */
export const isFinal = (transaction: Transaction) =>
  isIn('completed', transaction.status) || isIn('failed', transaction.status) || payoutState(transaction) !== null

/** The state of the payout that this transaction funded; null for any other transaction. */
export function payoutState(transaction: Transaction): 'Awaiting Claim' | 'Funds Reclaimed' | 'Funds Withdrawn' | null {
  if (transaction.category !== 'escrow') return null
  if (transaction.status === 'PENDING' && transaction.txHash) return 'Awaiting Claim'
  // Without a hash, it was cancelled before it was funded.
  if (transaction.status === 'CANCELLED' && transaction.txHash) return 'Funds Reclaimed'
  if (transaction.status === 'CONFIRMED') return 'Funds Withdrawn'
  return null
}

/** Whether it waits for its owner's approval. A funded payout is PENDING as well, but has a hash. */
export const awaitsApproval = ({ approvalId, status, txHash }: Transaction) =>
  approvalId !== null && status === 'PENDING' && txHash === null

export function categoryLabel(transaction: Transaction): string {
  switch (transaction.category) {
    case 'escrow':
      return 'Payout'
    case 'escrow_withdraw':
      return 'Payout withdrawn'
    case 'escrow_reclaim':
      return 'Payout reclaimed'
    case 'contact':
      return 'Contact'
    case 'address':
      return 'Address'
    default:
      return 'Transfer'
  }
}

/** The agent's name, or 'User' if no agent sent it. */
export const senderOf = ({ agent }: Pick<Transaction, 'agent'>) => agent?.name ?? 'User'
