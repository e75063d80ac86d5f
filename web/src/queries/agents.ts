import { queryOptions } from '@tanstack/react-query'
import type { CreatedAgent, PolicyGroup, PolicyGroupWithAgents } from '../../../worker/schemas/policy.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Agent, CreatedAgent, PolicyGroup, PolicyGroupWithAgents } from '../../../worker/schemas/policy.ts'

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => api.get<PolicyGroupWithAgents[]>('/policy-groups/with-agents', { signal }),
})

export const refreshGroups = () => queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey })

export type CreateGroupInput = {
  name: string
  /** Decimal USDC. */
  spendLimit: string
  scopes: string[]
  walletId: string
  whitelistedContactIds?: string[]
}
export const createGroup = (input: CreateGroupInput, idempotencyKey: string) =>
  api.post<PolicyGroup>('/policy-groups', input, { idempotencyKey })

export type CreateAgentInput = { name: string; memo?: string; policyGroupId: string }
export const createAgent = (input: CreateAgentInput, idempotencyKey: string) =>
  api.post<CreatedAgent>('/agents', input, { idempotencyKey })
