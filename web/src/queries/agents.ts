import { queryOptions } from '@tanstack/react-query'
import type { Period } from '../../../worker/domain/policyPeriod.ts'
import type { PaymentCheck } from '../../../worker/schemas/payment.ts'
import type {
  AccountState,
  Agent,
  AgentRefusal,
  CreatedAgent,
  Paused,
  PolicyGroup,
  PolicyGroupWithAgents,
  RegeneratedApiKey,
  RegeneratedCredentials,
  Removed,
  ToppedUp,
  UpdatedPolicyGroup,
} from '../../../worker/schemas/policy.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { PaymentCheck } from '../../../worker/schemas/payment.ts'
export type { Agent, AgentRefusal, CreatedAgent, PolicyGroup, PolicyGroupWithAgents }
export type ScopeUpdate = NonNullable<UpdatedPolicyGroup['scopeUpdateResults']>[number]

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => api.get<PolicyGroupWithAgents[]>('/policy-groups/with-agents', { signal }),
})

/** Under the groups, so that what refreshes them refreshes this. */
export const accountQuery = queryOptions({
  queryKey: [...groupsQuery.queryKey, 'account'],
  queryFn: ({ signal }) => api.get<AccountState>('/account', { signal }),
})

export const refreshGroups = () => queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey })

/** As the server has it now. */
export async function latestGroup(groupId: string): Promise<PolicyGroup | undefined> {
  const groups = await queryClient.fetchQuery({ ...groupsQuery, staleTime: 0 })
  return groups.find(({ policyGroup }) => policyGroup.id === groupId)?.policyGroup
}

const groupPath = (groupId: string) => `/policy-groups/${encodeURIComponent(groupId)}`

/** Amounts are decimal USDC; null = no such limit. */
export type GroupLimits = Pick<PolicyGroup, 'maxPayment' | 'maxUnclaimed' | 'emailDomains' | 'phoneCodes'> & {
  periodBudget: { period: Period; limit: string } | null
}
export type GroupInput = GroupLimits & {
  name: string
  spendLimit: string
  scopes: string[]
  walletId: string
  whitelistedContactIds: string[]
}
export const createGroup = (input: GroupInput, idempotencyKey: string) =>
  api.post<PolicyGroup>('/policy-groups', input, { idempotencyKey })

/** Refused with field `version` when somebody changed the group since that version. */
export const updateGroup = (groupId: string, input: Partial<GroupInput> & { version: number }) =>
  api.put<UpdatedPolicyGroup>(groupPath(groupId), input)

/** Adds `amount` (decimal USDC) to the budget limit and answers the new one. */
export const topUpBudget = (groupId: string, amount: string, idempotencyKey: string) =>
  api.post<ToppedUp>(`${groupPath(groupId)}/top-up`, { amount }, { idempotencyKey })

/** Takes a whitelisted contact as the owner was shown it now. */
export const confirmContact = (groupId: string, contactId: string, shown: ContactMethods) =>
  api.post<PolicyGroup>(`${groupPath(groupId)}/contacts/${encodeURIComponent(contactId)}/confirm`, shown)
export type ContactMethods = { address: string | null; email: string | null; phone: string | null }

/** Its agents go with it. */
export const deleteGroup = (groupId: string) => api.delete<Removed>(`${groupPath(groupId)}/cascade`)

const agentPath = (agentId: string) => `/agents/${encodeURIComponent(agentId)}`

export type CreateAgentInput = { name: string; memo?: string; policyGroupId: string }
export const createAgent = (input: CreateAgentInput, idempotencyKey: string) =>
  api.post<CreatedAgent>('/agents', input, { idempotencyKey })

export const updateAgent = (agentId: string, input: { name: string; memo: string }) =>
  api.put<Agent>(agentPath(agentId), input)

export const deleteAgent = (agentId: string) => api.delete<Removed>(agentPath(agentId))

/** The one before keeps working for 24 hours unless `revokeNow`. */
export const regenerateApiKey = (agentId: string, revokeNow: boolean) =>
  api.post<RegeneratedApiKey>(`${agentPath(agentId)}/regenerate-api-key`, { revokeNow })
export const regenerateSecret = (agentId: string, revokeNow: boolean) =>
  api.post<RegeneratedCredentials>(`${agentPath(agentId)}/regenerate-credentials`, { revokeNow })

/** What can be paused; `name` as it stands in a sentence. */
export type PauseSubject = { kind: 'agent' | 'group' | 'wallet' | 'account'; id: string; name: string }

export const refusalsQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...groupsQuery.queryKey, 'refusals', agentId],
    queryFn: ({ signal }) => api.get<AgentRefusal[]>(`${agentPath(agentId)}/refusals`, { signal }),
  })

export type PaymentRecipient =
  | { type: 'contact'; contactId: string }
  | { type: 'address'; address: string }
  | { type: 'email'; email: string }
  | { type: 'phone'; phone: string }
/** Would this payment be allowed now? Nothing is reserved. */
export const tryPayment = (agentId: string, payment: { to: PaymentRecipient; amount: string }) =>
  api.post<PaymentCheck>(`${agentPath(agentId)}/check`, payment)

const pausePath = ({ kind, id }: PauseSubject): string => {
  switch (kind) {
    case 'agent':
      return agentPath(id)
    case 'group':
      return groupPath(id)
    case 'wallet':
      return `/wallets/${encodeURIComponent(id)}`
    case 'account':
      return '/account'
  }
}
/** Both take effect on the next call. */
export async function setPaused(subject: PauseSubject, paused: boolean): Promise<Paused> {
  const answer = await api.post<Paused>(`${pausePath(subject)}/${paused ? 'pause' : 'resume'}`)
  await refreshGroups()
  return answer
}
