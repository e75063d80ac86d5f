import { queryOptions } from '@tanstack/react-query'
import type { ApiCalls } from '#schemas/api.ts'
import type { PaymentCheck } from '#schemas/payment.ts'
import type { Agent, AgentRefusal, CreatedAgent } from '#schemas/policy.ts'
import { api } from '../lib/api.ts'
import { groupsQuery } from './policyGroups.ts'

export type { Agent, AgentRefusal, CreatedAgent, PaymentCheck }

export const createAgent = (body: ApiCalls['POST /agents']['body'], idempotencyKey: string) =>
  api('POST /agents', { body, idempotencyKey })

export const updateAgent = (agentId: string, body: ApiCalls['PUT /agents/:agentId']['body']) =>
  api('PUT /agents/:agentId', { params: { agentId }, body })

export const deleteAgent = (agentId: string) => api('DELETE /agents/:agentId', { params: { agentId } })

/** The previous key keeps working for 24 hours unless `revokeNow`. */
export const regenerateApiKey = (agentId: string, revokeNow: boolean) =>
  api('POST /agents/:agentId/regenerate-api-key', { params: { agentId }, body: { revokeNow } })
/** The previous client secret keeps working for 24 hours unless `revokeNow`. */
export const regenerateSecret = (agentId: string, revokeNow: boolean) =>
  api('POST /agents/:agentId/regenerate-credentials', { params: { agentId }, body: { revokeNow } })

export const refusalsQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...groupsQuery.queryKey, 'refusals', agentId],
    queryFn: ({ signal }) => api('GET /agents/:agentId/refusals', { params: { agentId }, signal }),
  })

type CheckInput = ApiCalls['POST /agents/:agentId/check']['body']
export type PaymentRecipient = CheckInput['to']
/** Whether the rules would allow this payment now. Reserves nothing. */
export const checkPayment = (agentId: string, body: CheckInput) =>
  api('POST /agents/:agentId/check', { params: { agentId }, body })
