import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { CreateEscrowReply, Escrow, ReclaimAllReply, ReclaimReply } from '../../../worker/schemas/escrow.ts'
import type { Tone } from '../components/Chip.tsx'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'
import { getFile, getPage } from '../lists/calls.ts'
import { queryOf, type Range, rangeParams } from '../lists/range.ts'
import { overviewQuery } from './overview.ts'

export type { CreateEscrowReply, Escrow }

const all = ['payouts'] as const

/** `wallets`: addresses. Days are local, amounts decimal USDC. */
export type PayoutFilters = Range & { status?: Escrow['status'][]; wallets?: string[]; recipient?: string }

const filterParams = ({ status, wallets, recipient, ...range }: PayoutFilters) => ({
  ...rangeParams(range),
  status: status?.join(','),
  wallets: wallets?.join(','),
  recipient,
})

export const payoutsQuery = (page: number, filters: PayoutFilters = {}, pageSize = 25) =>
  queryOptions({
    queryKey: [...all, 'list', page, pageSize, filters],
    queryFn: ({ signal }) =>
      getPage<Escrow, { escrows: Escrow[] }>(
        `/escrow/list?${queryOf({ page, pageSize, ...filterParams(filters) })}`,
        (data) => data.escrows,
        { signal },
      ),
    placeholderData: keepPreviousData,
  })

/** Every payout that waits for its recipient, up to 100 of them with the total count. */
export const reclaimableQuery = queryOptions({
  ...payoutsQuery(1, { status: ['CREATED'] }, 100),
  queryKey: [...all, 'reclaimable'],
})

export const exportPayouts = (filters: PayoutFilters) => getFile(`/escrow/export?${queryOf(filterParams(filters))}`)

export const reclaimAllPayouts = () => api.post<ReclaimAllReply>('/escrow/reclaim-all')

export const payoutQuery = (escrowId: string) =>
  queryOptions({
    queryKey: [...all, 'detail', escrowId],
    queryFn: ({ signal }) => api.get<Escrow>(`/escrow/${encodeURIComponent(escrowId)}`, { signal }),
  })

/** With the total of what waits, which is the overview's. */
export const refreshPayouts = () =>
  Promise.all([all, overviewQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

export type CreatePayoutInput = {
  sourceWalletId: string
  amount: string
  /** One of the two. */
  recipientEmail?: string
  recipientPhone?: string
  contactId?: string
  expiresInDays: number
  memo?: string
  senderName?: string
}
export const createPayout = (input: CreatePayoutInput, idempotencyKey: string) =>
  api.post<CreateEscrowReply>('/escrow/create', input, { idempotencyKey })

export const reclaimPayout = (escrowId: string, idempotencyKey: string) =>
  api.post<ReclaimReply>(`/escrow/${encodeURIComponent(escrowId)}/reclaim`, {}, { idempotencyKey })

/** To the recipient, three times at most; tries start anew. */
export const resendCode = (escrowId: string) =>
  api.post<{ resendsLeft: number }>(`/escrow/${encodeURIComponent(escrowId)}/resend`)

/** WITHDRAWN is success, RECLAIMED neutral, FAILED an error, the rest waits. */
export function payoutTone(payout: Escrow): Tone {
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

export const canReclaim = (payout: Escrow) =>
  payout.status === 'CREATED' && Boolean(payout.escrowId) && payout.inProgress === null

export const recipientOf = (payout: Escrow) => payout.recipientEmail ?? payout.recipientPhone ?? 'Not specified'
