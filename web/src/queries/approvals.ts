import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ApiCalls } from '#schemas/api.ts'
import type { Approval, ApprovalSettings, Channel, Grant } from '#schemas/approval.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/apiError.ts'
import { queryClient } from '../lib/queryClient.ts'
import { refreshNoticeCount } from './notices.ts'
import { refreshTransactions } from './transactions.ts'

export type { Approval, ApprovalSettings, Channel, Grant }

const rootKey = ['approvals'] as const
const listPollMs = 15_000 // 15 seconds
const pollMs = 4_000 // 4 seconds

/** All pending approvals, then pages of ended ones. */
export const approvalsQuery = infiniteQueryOptions({
  queryKey: [...rootKey, 'list'],
  queryFn: ({ pageParam, signal }) =>
    api('GET /approvals', { query: pageParam === null ? {} : { cursor: pageParam }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next,
  refetchInterval: listPollMs,
})

/** Up to 50 pending approvals. */
export const pendingApprovalsQuery = queryOptions({
  queryKey: [...rootKey, 'pending'],
  queryFn: ({ signal }) => api('GET /approvals', { query: { status: 'pending' }, signal }),
  refetchInterval: listPollMs,
})

/** Polled while the approval is pending. */
export const approvalQuery = (approvalId: string) =>
  queryOptions({
    queryKey: [...rootKey, 'detail', approvalId],
    queryFn: ({ signal }) => api('GET /approvals/:approvalId', { params: { approvalId }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'PENDING' ? pollMs : false),
    refetchOnWindowFocus: true,
    staleTime: 0,
  })

/** Called after a decision, whatever its outcome. */
export async function refreshApprovals(): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: rootKey }), refreshNoticeCount(), refreshTransactions()])
}

/** Whether a decision was refused because the request had ended before. */
export const isLateAnswer = (error: unknown): boolean => error instanceof ApiError && error.field === 'status'

export const approve = (approvalId: string, body: ApiCalls['POST /approvals/:approvalId/approve']['body']) =>
  api('POST /approvals/:approvalId/approve', { params: { approvalId }, body })

export const deny = (approvalId: string, body: ApiCalls['POST /approvals/:approvalId/deny']['body']) =>
  api('POST /approvals/:approvalId/deny', { params: { approvalId }, body })

/** Active grants: permissions to pay one address without asking. */
export const grantsQuery = queryOptions({
  queryKey: [...rootKey, 'grants'],
  queryFn: ({ signal }) => api('GET /grants', { query: { status: 'active' }, signal }),
})

export async function endGrant(grantId: string): Promise<void> {
  await api('POST /grants/:grantId/end', { params: { grantId } })
  await queryClient.invalidateQueries({ queryKey: grantsQuery.queryKey })
}

export const approvalSettingsQuery = queryOptions({
  queryKey: [...rootKey, 'settings'],
  queryFn: ({ signal }) => api('GET /approval-settings', { signal }),
})

export async function saveApprovalSettings(body: ApiCalls['PUT /approval-settings']['body']): Promise<void> {
  queryClient.setQueryData(approvalSettingsQuery.queryKey, await api('PUT /approval-settings', { body }))
}

/** Whether a second person has to approve it: this one would be refused, whatever they change. */
export const isForAnother = ({ wouldPass }: Approval): boolean =>
  wouldPass?.ok === false && wouldPass.rule === 'second_person_required'
