import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SendReply, Transaction, TransactionStatus } from '../../../worker/schemas/transaction.ts'
import type { Tone } from '../components/Chip.tsx'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Transaction }

const all = ['transactions'] as const
const followMs = 1_500 // 1.5 seconds

export const transactionsQuery = (page: number, pageSize = 25) =>
  queryOptions({
    queryKey: [...all, 'list', page, pageSize],
    queryFn: ({ signal }) =>
      api.page<Transaction>(`/transactions/user?page=${page}&pageSize=${pageSize}`, (rows) => rows, { signal }),
    placeholderData: keepPreviousData,
  })

/** Followed until it is final. */
export const transactionQuery = (transactionId: string) =>
  queryOptions({
    queryKey: [...all, 'detail', transactionId],
    queryFn: ({ signal }) => api.get<Transaction>(`/transactions/${encodeURIComponent(transactionId)}`, { signal }),
    refetchInterval: (query) => (query.state.data && isFinal(query.state.data) ? false : followMs),
  })

export const refreshTransactions = () => queryClient.invalidateQueries({ queryKey: all })

export type SendInput = { walletId: string; toAddress: string; amount: string; memo?: string }
export const sendTransaction = (input: SendInput, idempotencyKey: string) =>
  api.post<SendReply>('/transactions/send', input, { idempotencyKey })

const failed: TransactionStatus[] = ['POLICY_REJECTED', 'VALIDATION_FAILED', 'FAILED', 'CANCELLED', 'EXPIRED']

/** Part 2 section 4: Completed, Failed or Pending. */
export function displayStatus(status: TransactionStatus): { label: 'Completed' | 'Failed' | 'Pending'; tone: Tone } {
  if (status === 'CONFIRMED') return { label: 'Completed', tone: 'good' }
  if (failed.includes(status)) return { label: 'Failed', tone: 'bad' }
  return { label: 'Pending', tone: 'waiting' }
}

/** Nothing more will happen to it, as far as following it goes. A funded payout waits for its recipient. */
export const isFinal = (transaction: Transaction) =>
  transaction.status === 'CONFIRMED' || failed.includes(transaction.status) || payoutState(transaction) !== null

/** What became of the payout this transaction funded; null for anything else. */
export function payoutState(transaction: Transaction): 'Awaiting Claim' | 'Funds Reclaimed' | 'Funds Withdrawn' | null {
  if (transaction.category !== 'escrow') return null
  if (transaction.status === 'PENDING' && transaction.txHash) return 'Awaiting Claim'
  if (transaction.status === 'CANCELLED') return 'Funds Reclaimed'
  if (transaction.status === 'CONFIRMED') return 'Funds Withdrawn'
  return null
}

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

/** 'User' when no agent sent it. */
export const senderOf = (transaction: Transaction) => transaction.agent?.name ?? 'User'
