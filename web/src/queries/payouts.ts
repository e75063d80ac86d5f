import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ApiCalls, PageQuery } from '#schemas/api.ts'
import type { CreateEscrowReply, Delivery, EscrowItem as Escrow } from '#schemas/escrow.ts'
import { api, apiEnvelope, apiFile } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'
import { overviewQuery } from './overview.ts'

export type { CreateEscrowReply, Delivery, Escrow }

const rootKey = ['payouts'] as const

export type PayoutParams = NonNullable<ApiCalls['GET /escrow/export']['query']>

async function fetchPayouts(query: PayoutParams & PageQuery, signal?: AbortSignal) {
  const { data, page } = await apiEnvelope('GET /escrow/list', { query, ...(signal && { signal }) })
  return { rows: data.escrows, page }
}

export const payoutsQuery = (params: PayoutParams & PageQuery) =>
  queryOptions({
    queryKey: [...rootKey, 'list', params] as QueryKey,
    queryFn: ({ signal }) => fetchPayouts(params, signal),
    placeholderData: keepPreviousData,
  })

/** Unclaimed payouts: up to 100 of them, with the total count. */
export const reclaimableQuery = queryOptions({
  ...payoutsQuery({ page: 1, pageSize: 100, status: 'CREATED' }),
  queryKey: [...rootKey, 'reclaimable'],
})

const pageSize = 100 // the API's maximum

/** All unclaimed payouts at this moment. */
export async function fetchReclaimable(): Promise<Escrow[]> {
  const found: Escrow[] = []
  for (let cursor: string | undefined; ; ) {
    const { rows, page } = await fetchPayouts({ pageSize, status: 'CREATED', cursor })
    found.push(...rows)
    if (!page.next) return found
    cursor = page.next
  }
}

export async function fetchPayoutsById(ids: string[]): Promise<Escrow[]> {
  const found: Escrow[] = []
  for (let i = 0; i < ids.length; i += pageSize)
    found.push(...(await fetchPayouts({ pageSize, ids: ids.slice(i, i + pageSize).join(',') })).rows)
  return found
}

export const exportPayouts = (query: PayoutParams) => apiFile('GET /escrow/export', { query })

export const payoutQuery = (escrowId: string) =>
  queryOptions({
    queryKey: [...rootKey, 'detail', escrowId],
    queryFn: ({ signal }) => api('GET /escrow/:escrowId', { params: { escrowId }, signal }),
  })

/** The claim link that the recipient got; useless without the code. */
export const claimLinkQuery = (escrowId: string) =>
  queryOptions({
    queryKey: ['payout-link', escrowId],
    queryFn: ({ signal }) => api('GET /escrow/:escrowId/link', { params: { escrowId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Refreshes the overview as well, since it shows the total of unclaimed payouts. */
export const refreshPayouts = () =>
  Promise.all([rootKey, overviewQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

export type CreatePayoutInput = ApiCalls['POST /escrow/create']['body']
export const createPayout = (body: CreatePayoutInput, idempotencyKey: string) =>
  api('POST /escrow/create', { body, idempotencyKey })

export const reclaimPayout = (escrowId: string, idempotencyKey: string) =>
  api('POST /escrow/:escrowId/reclaim', { params: { escrowId }, idempotencyKey })

export const reclaimAllPayouts = () => api('POST /escrow/reclaim-all')

/** Sends the recipient a new code, three times at most. Wrong attempts at the old code no longer count. */
export const resendCode = (escrowId: string) => api('POST /escrow/:escrowId/resend', { params: { escrowId } })
