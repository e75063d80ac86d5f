import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ApiCalls, PageQuery } from '#schemas/api.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { api, apiEnvelope, apiFile } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'
import { isFinal } from '../lib/transactionStatus.ts'

export type { Transaction }

const rootKey = ['transactions'] as const
const pollMs = 1_500 // 1.5 seconds

export type TransactionParams = NonNullable<ApiCalls['GET /transactions/export']['query']>

async function fetchTransactions(query: TransactionParams & PageQuery, signal: AbortSignal) {
  const { data: rows, page } = await apiEnvelope('GET /transactions/user', { query, signal })
  return { rows, page }
}

export const transactionsQuery = (params: TransactionParams & PageQuery) =>
  queryOptions({
    queryKey: [...rootKey, 'list', params] as QueryKey,
    queryFn: ({ signal }) => fetchTransactions(params, signal),
    placeholderData: keepPreviousData,
  })

/** Up to five transactions whose id or hash contains `part`. */
export const transactionSearchQuery = (part: string) =>
  queryOptions({
    queryKey: [...rootKey, 'search', part],
    queryFn: ({ signal }) => fetchTransactions({ page: 1, pageSize: 5, search: part }, signal),
  })

export const exportTransactions = (query: TransactionParams) => apiFile('GET /transactions/export', { query })

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
