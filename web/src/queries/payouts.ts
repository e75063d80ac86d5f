import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query'
import { deliveryFailed } from '#domain/delivery.ts'
import type { ApiCalls, PageQuery } from '#schemas/api.ts'
import type { Delivery } from '#schemas/escrow.ts'
import { api, apiEnvelope } from '../lib/api.ts'
import { apiFile } from '../lib/apiFile.ts'
import type { Chain } from '../lib/networks.ts'
import { queryClient } from '../lib/queryClient.ts'
import type { Tone } from '../lib/tone.ts'
import { addRow } from './addRow.ts'
import { type CreatedPayout, createdPayoutOf, type Payout, payoutOf } from './apiWords.ts'
import { overviewQuery } from './overview.ts'
import { addTransaction, refreshMoney } from './transactions.ts'

export type { CreatedPayout, Payout }

const rootKey = ['payouts'] as const
const listKey = [...rootKey, 'list'] as const

export type PayoutParams = NonNullable<ApiCalls['GET /escrow/export']['query']>

async function fetchPayouts(query: PayoutParams & PageQuery, signal?: AbortSignal) {
  const { data, page } = await apiEnvelope('GET /escrow/list', { query, ...(signal && { signal }) })
  return { rows: data.escrows.map(payoutOf), page }
}

export const payoutsQuery = (params: PayoutParams & PageQuery) =>
  queryOptions({
    queryKey: [...listKey, params] as QueryKey,
    queryFn: ({ signal }) => fetchPayouts(params, signal),
    placeholderData: keepPreviousData,
  })

/** Unclaimed payouts: up to 100 of them, with the total count. */
export const reclaimableQuery = queryOptions({
  ...payoutsQuery({ page: 1, pageSize: 100, status: 'CREATED' }),
  queryKey: [...rootKey, 'reclaimable'],
})

/** What the list of payouts that expire soon is filtered by. */
export const expiringSoon = { expiresWithinDays: '7', sort: 'soonest' } as const

/** How many unclaimed payouts expire within a week. */
export const expiringQuery = (network: Chain) =>
  queryOptions({
    ...payoutsQuery({ ...expiringSoon, network, page: 1, pageSize: 1 }),
    queryKey: [...rootKey, 'expiring', network],
  })

const pageSize = 100 // the API's maximum

/** All unclaimed payouts at this moment. */
export async function fetchReclaimable(): Promise<Payout[]> {
  const found: Payout[] = []
  for (let cursor: string | undefined; ; ) {
    const { rows, page } = await fetchPayouts({ pageSize, status: 'CREATED', cursor })
    found.push(...rows)
    if (!page.next) return found
    cursor = page.next
  }
}

export async function fetchPayoutsById(ids: string[]): Promise<Payout[]> {
  const found: Payout[] = []
  for (let i = 0; i < ids.length; i += pageSize)
    found.push(...(await fetchPayouts({ pageSize, ids: ids.slice(i, i + pageSize).join(',') })).rows)
  return found
}

export const exportPayouts = (query: PayoutParams) => apiFile('GET /escrow/export', { query })

export const payoutQuery = (payoutId: string) =>
  queryOptions({
    queryKey: [...rootKey, 'detail', payoutId],
    queryFn: async ({ signal }) =>
      payoutOf(await api('GET /escrow/:escrowId', { params: { escrowId: payoutId }, signal })),
  })

/** The claim link that the recipient got; useless without the code. */
export const claimLinkQuery = (payoutId: string) =>
  queryOptions({
    queryKey: ['payout-link', payoutId],
    queryFn: ({ signal }) => api('GET /escrow/:escrowId/link', { params: { escrowId: payoutId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Refreshes the overview as well, since it shows the total of unclaimed payouts. */
export const refreshPayouts = () =>
  Promise.all([rootKey, overviewQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

export type CreatePayoutInput = ApiCalls['POST /escrow/create']['body']
export async function createPayout(body: CreatePayoutInput, idempotencyKey: string): Promise<CreatedPayout> {
  const created = createdPayoutOf(await api('POST /escrow/create', { body, idempotencyKey }))
  addRow(listKey, created.rows.payout)
  addTransaction(created.rows.transaction)
  refreshMoney()
  return created
}

/** Whether a list that shows it is read again soon. */
export const isMoving = ({ status, inProgress }: Payout) => status === 'CREATING' || inProgress !== null

export const reclaimPayout = (payoutId: string, idempotencyKey: string) =>
  api('POST /escrow/:escrowId/reclaim', { params: { escrowId: payoutId }, idempotencyKey })

export const reclaimAllPayouts = () => api('POST /escrow/reclaim-all')

/** Sends the recipient a new code, three times at most. Wrong attempts at the old code no longer count. */
export const resendCode = (payoutId: string) => api('POST /escrow/:escrowId/resend', { params: { escrowId: payoutId } })

/** The statuses as all screens name them. */
export const payoutStatusNames: Record<Payout['status'], string> = {
  CREATING: 'Creating',
  CREATED: 'Awaiting Claim',
  WITHDRAWN: 'Withdrawn',
  RECLAIMED: 'Reclaimed',
  FAILED: 'Failed',
}

export function payoutTone(payout: Payout): Tone {
  switch (payout.status) {
    case 'WITHDRAWN':
      return 'good'
    case 'RECLAIMED':
      return 'neutral'
    case 'FAILED':
      return 'bad'
    case 'CREATING':
    case 'CREATED':
      return 'waiting'
  }
}

/** Whether its money comes back to the wallet when it expires. */
export const isOpen = ({ status }: Payout) => status === 'CREATING' || status === 'CREATED'

export const canReclaim = (payout: Payout) => payout.status === 'CREATED' && payout.inProgress === null

export const recipientOf = (payout: Payout) => payout.recipientEmail ?? payout.recipientPhone ?? 'Not specified'

/** 'Email bounced', 'SMS delivered'. */
export function deliveryText({ channel, state }: Delivery): string {
  const message = channel === 'email' ? 'Email' : 'SMS'
  switch (state) {
    case 'accepted':
      return `${message} sent`
    case 'delivered':
      return `${message} delivered`
    case 'undelivered':
      return `${message} could not be delivered`
    case 'bounced':
      return `${message} bounced`
    case 'complained':
      return `${message} marked as spam`
  }
}

/** Whether the recipient could still claim it if its link had not been taken down. */
export const isTakenDown = (payout: Payout) => payout.linkTakenDown === true && isOpen(payout)

/** Whether the message to the recipient of an unclaimed payout failed to arrive. */
export const isUndelivered = (payout: Payout) =>
  payout.delivery !== null && deliveryFailed(payout.delivery.state) && isOpen(payout)
