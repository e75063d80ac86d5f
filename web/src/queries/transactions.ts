import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  RecipientHistory,
  SendReply,
  Transaction,
  TransactionStatus,
} from '../../../worker/schemas/transaction.ts'
import type { Tone } from '../components/Chip.tsx'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'
import { getFile, getPage } from '../lists/calls.ts'
import { queryOf, type Range, rangeParams } from '../lists/range.ts'
import type { transactionStatuses, transactionTypes } from '../lists/search.ts'

export type { Transaction }

const all = ['transactions'] as const
const followMs = 1_500 // 1.5 seconds

/** `sender`: 'user' or an agent's id. Days are local, amounts decimal USDC. */
export type TransactionFilters = Range & {
  type?: (typeof transactionTypes)[number]
  status?: (typeof transactionStatuses)[number][]
  sender?: string
  contact?: string
  wallet?: string
  recipient?: string
  memo?: string
}

const filterParams = ({ status, type, sender, contact, wallet, recipient, memo, ...range }: TransactionFilters) => ({
  ...rangeParams(range),
  type,
  status: status?.join(','),
  sender,
  contact,
  wallet,
  recipient,
  memo,
})

export const transactionsQuery = (page: number, pageSize = 25, filters: TransactionFilters = {}) =>
  queryOptions({
    queryKey: [...all, 'list', page, pageSize, filters],
    queryFn: ({ signal }) =>
      getPage<Transaction>(
        `/transactions/user?${queryOf({ page, pageSize, ...filterParams(filters) })}`,
        (rows) => rows,
        {
          signal,
        },
      ),
    placeholderData: keepPreviousData,
  })

/** Those whose id or hash holds `part`, at most five. */
export const transactionSearchQuery = (part: string) =>
  queryOptions({
    queryKey: [...all, 'search', part],
    queryFn: ({ signal }) =>
      getPage<Transaction>(`/transactions/user?${queryOf({ page: 1, pageSize: 5, search: part })}`, (rows) => rows, {
        signal,
      }),
  })

export const exportTransactions = (filters: TransactionFilters) =>
  getFile(`/transactions/export?${queryOf(filterParams(filters))}`)

/** Followed until it is final. */
export const transactionQuery = (transactionId: string) =>
  queryOptions({
    queryKey: [...all, 'detail', transactionId],
    queryFn: ({ signal }) => api.get<Transaction>(`/transactions/${encodeURIComponent(transactionId)}`, { signal }),
    refetchInterval: (query) => (query.state.data && isFinal(query.state.data) ? false : followMs),
  })

export const refreshTransactions = () => queryClient.invalidateQueries({ queryKey: all })

/** What is known of a recipient before money moves. Asked anew for every review. */
export const recipientQuery = (input: RecipientCheck) =>
  queryOptions({
    queryKey: [...all, 'recipient', input],
    queryFn: ({ signal }) => api.post<RecipientHistory>('/transactions/recipient-check', input, { signal }),
    staleTime: 0,
    gcTime: 0,
  })
type RecipientCheck = { amount: string } & (
  | { toAddress: string }
  | { recipientEmail: string }
  | { recipientPhone: string }
)

export type SendInput = { walletId: string; toAddress: string; amount: string; memo?: string; contactId?: string }
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
  // Without a hash it was taken back before anything was funded.
  if (transaction.status === 'CANCELLED' && transaction.txHash) return 'Funds Reclaimed'
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
