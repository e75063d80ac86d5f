import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { CreateEscrowReply, Escrow, ReclaimReply } from '../../../worker/schemas/escrow.ts'
import type { Tone } from '../components/Chip.tsx'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { CreateEscrowReply, Escrow }

const all = ['payouts'] as const

export const payoutsQuery = (page: number) =>
  queryOptions({
    queryKey: [...all, 'list', page],
    queryFn: ({ signal }) =>
      api.page<Escrow, { escrows: Escrow[] }>(`/escrow/list?page=${page}&pageSize=25`, (data) => data.escrows, {
        signal,
      }),
    placeholderData: keepPreviousData,
  })

export const payoutQuery = (escrowId: string) =>
  queryOptions({
    queryKey: [...all, 'detail', escrowId],
    queryFn: ({ signal }) => api.get<Escrow>(`/escrow/${encodeURIComponent(escrowId)}`, { signal }),
  })

export const refreshPayouts = () => queryClient.invalidateQueries({ queryKey: all })

export type CreatePayoutInput = {
  sourceWalletId: string
  amount: string
  recipientEmail: string
  expiresInDays: number
  memo?: string
  senderName?: string
}
export const createPayout = (input: CreatePayoutInput, idempotencyKey: string) =>
  api.post<CreateEscrowReply>('/escrow/create', input, { idempotencyKey })

export const reclaimPayout = (escrowId: string, idempotencyKey: string) =>
  api.post<ReclaimReply>(`/escrow/${encodeURIComponent(escrowId)}/reclaim`, {}, { idempotencyKey })

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
