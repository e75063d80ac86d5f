import { queryOptions } from '@tanstack/react-query'
import type { ApiCalls } from '#schemas/api.ts'
import type { PolicyGroup, PolicyGroupWithAgents, UpdatedPolicyGroup } from '#schemas/policy.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { PolicyGroup, PolicyGroupWithAgents }
export type ScopeUpdate = NonNullable<UpdatedPolicyGroup['scopeUpdateResults']>[number]

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => api('GET /policy-groups/with-agents', { signal }),
})

export const refreshGroups = () => queryClient.invalidateQueries({ queryKey: groupsQuery.queryKey })

/** The group as the server has it now, also for the list of groups. */
export async function fetchGroup(groupId: string): Promise<PolicyGroup> {
  const policyGroup = await api('GET /policy-groups/:groupId', { params: { groupId } })
  queryClient.setQueryData(groupsQuery.queryKey, (groups) =>
    groups?.map((group) => (group.policyGroup.id === groupId ? { ...group, policyGroup } : group)),
  )
  return policyGroup
}

/** Amounts are decimal USDC; null means no such limit. */
export type GroupInput = ApiCalls['POST /policy-groups']['body']
export const createGroup = (body: GroupInput, idempotencyKey: string) =>
  api('POST /policy-groups', { body, idempotencyKey })

/** Refused with field `version` if the group has changed since that version. */
export const updateGroup = (groupId: string, body: ApiCalls['PUT /policy-groups/:groupId']['body']) =>
  api('PUT /policy-groups/:groupId', { params: { groupId }, body })

/** Adds `amount` (decimal USDC) to the budget limit. Returns the new budget. */
export const topUpBudget = (groupId: string, amount: string, idempotencyKey: string) =>
  api('POST /policy-groups/:groupId/top-up', { params: { groupId }, body: { amount }, idempotencyKey })

export type ContactMethods = ApiCalls['POST /policy-groups/:groupId/contacts/:contactId/confirm']['body']
/** Whitelists the contact as it was shown to the owner. Refused if it has changed since. */
export const confirmContact = (groupId: string, contactId: string, shown: ContactMethods) =>
  api('POST /policy-groups/:groupId/contacts/:contactId/confirm', { params: { groupId, contactId }, body: shown })

/** Deletes the group together with its agents. */
export const deleteGroup = (groupId: string) => api('DELETE /policy-groups/:groupId/cascade', { params: { groupId } })
