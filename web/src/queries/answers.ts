import { queryOptions } from '@tanstack/react-query'
import type { Answer } from '#domain/answers.ts'
import type { PaidToParams, PeriodParams } from '#schemas/answers.ts'
import { api } from '../lib/api.ts'

export type { AgentRequests, PaidSum, PaidTo, Refusals, RuleSum } from '#schemas/answers.ts'

/** What became of what an agent asked for. */
export const answerNames: Record<Answer, string> = {
  allowed: 'Allowed by the rules',
  approved: 'Approved',
  waiting: 'Waiting for approval',
  denied: 'Not approved',
  refused: 'Refused by a rule',
}

// Their keys start with that of `usageQuery`, so that all of them are refreshed together.
export const paidToQuery = (query: PaidToParams) =>
  queryOptions({
    queryKey: ['usage', 'recipients', query],
    queryFn: ({ signal }) => api('GET /usage/recipients', { query, signal }),
  })

export const agentRequestsQuery = (agentId: string, query: PeriodParams) =>
  queryOptions({
    queryKey: ['usage', 'agent', agentId, query],
    queryFn: ({ signal }) => api('GET /usage/agents/:agentId', { params: { agentId }, query, signal }),
  })

export const refusalsQuery = (query: PeriodParams) =>
  queryOptions({
    queryKey: ['usage', 'refusals', query],
    queryFn: ({ signal }) => api('GET /usage/refusals', { query, signal }),
  })
