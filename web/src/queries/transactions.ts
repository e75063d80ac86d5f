import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ListSort, transactionStatuses, transactionTypes } from '#domain/listFilters.ts'
import type { ApiCalls } from '#schemas/api.ts'
import type { Page } from '#schemas/common.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { api, apiEnvelope, apiFile } from '../lib/api.ts'
import type { ListPlace } from '../lib/listSearch.ts'
import { queryClient } from '../lib/queryClient.ts'
import { type Range, rangeParams } from '../lib/range.ts'
import { isFinal } from '../lib/transactionStatus.ts'

export type { Transaction }

const rootKey = ['transactions'] as const
const pollMs = 1_500 // 1.5 seconds

/** `sender` is 'user' or an agent's id. Days are local, amounts are decimal USDC. */
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

async function fetchTransactions(
  query: NonNullable<ApiCalls['GET /transactions/user']['query']>,
  signal: AbortSignal,
): Promise<{ rows: Transaction[]; page: Page }> {
  const { data, page } = await apiEnvelope('GET /transactions/user', { query, signal })
  return { rows: data, page }
}

export const transactionsQuery = (place: ListPlace, filters: TransactionFilters = {}) =>
  queryOptions({
    queryKey: [...rootKey, 'list', place, filters],
    queryFn: ({ signal }) => fetchTransactions({ ...place, ...filterParams(filters) }, signal),
    placeholderData: keepPreviousData,
  })

/** Up to five transactions whose id or hash contains `part`. */
export const transactionSearchQuery = (part: string) =>
  queryOptions({
    queryKey: [...rootKey, 'search', part],
    queryFn: ({ signal }) => fetchTransactions({ page: 1, pageSize: 5, search: part }, signal),
  })

export const exportTransactions = (filters: TransactionFilters, sort: ListSort) =>
  apiFile('GET /transactions/export', { query: { ...filterParams(filters), sort } })

/** Polled until it is final. */
export const transactionQuery = (transactionId: string) =>
  queryOptions({
    queryKey: [...rootKey, 'detail', transactionId],
    queryFn: ({ signal }) => api('GET /transactions/:transactionId', { params: { transactionId }, signal }),
    refetchInterval: (query) => (query.state.data && isFinal(query.state.data) ? false : pollMs),
  })

export const refreshTransactions = () => queryClient.invalidateQueries({ queryKey: rootKey })

type RecipientCheck = { amount: string } & (
  | { toAddress: string }
  | { recipientEmail: string }
  | { recipientPhone: string }
)
/** Facts about a recipient, to show before money moves. Never cached: fetched for every review. */
export const recipientQuery = (body: RecipientCheck) =>
  queryOptions({
    queryKey: [...rootKey, 'recipient', body],
    queryFn: ({ signal }) => api('POST /transactions/recipient-check', { body, signal }),
    staleTime: 0,
    gcTime: 0,
  })

export const sendTransaction = (body: ApiCalls['POST /transactions/send']['body'], idempotencyKey: string) =>
  api('POST /transactions/send', { body, idempotencyKey })
