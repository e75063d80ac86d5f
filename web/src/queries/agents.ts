import { type QueryFilters, queryOptions } from '@tanstack/react-query'
import type { ApiCalls } from '#schemas/api.ts'
import type { PaymentCheck } from '#schemas/payment.ts'
import type {
  Agent,
  CreatedAgent,
  Paused,
  PolicyGroup,
  PolicyGroupWithAgents,
  UpdatedPolicyGroup,
} from '#schemas/policy.ts'
import { api } from '../lib/api.ts'
import { refreshing, renamed } from '../lib/changes.ts'
import { queryClient } from '../lib/queryClient.ts'
import { walletsQuery } from './wallets.ts'

export type { PolicyGroup, PolicyGroupWithAgents }
export type ScopeUpdate = NonNullable<UpdatedPolicyGroup['scopeUpdateResults']>[number]

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => api('GET /policy-groups/with-agents', { signal }),
})

/** The figures of overview and usage count them. */
export const refreshGroups = (but: Pick<QueryFilters, 'predicate'> = {}) =>
  Promise.all(
    [groupsQuery.queryKey, ['overview'], ['usage']].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey, ...but }),
    ),
  )
const changed = refreshing(() => refreshGroups())

/** A group with the ids of all contacts that it may pay; it has only the first of the contacts themselves. */
export type WholeGroup = PolicyGroup & { contactIds: string[] }

const isComplete = ({ whitelistedContacts, whitelistedCount }: PolicyGroup) =>
  whitelistedContacts.length === whitelistedCount

export const wholeGroupQuery = (group: PolicyGroup) =>
  queryOptions({
    queryKey: [...groupsQuery.queryKey, 'whole', group.id, group.version],
    queryFn: async ({ signal }): Promise<WholeGroup> => {
      const params = { groupId: group.id }
      const { contactIds } = await api('GET /policy-groups/:groupId/whitelist', { params, signal })
      return { ...group, contactIds }
    },
    ...(isComplete(group) && { initialData: wholeOf(group) }),
    staleTime: Number.POSITIVE_INFINITY,
  })
const wholeOf = (group: PolicyGroup): WholeGroup => ({
  ...group,
  contactIds: group.whitelistedContacts.map(({ contact }) => contact.id),
})

/** The groups whose agents may pay this contact. */
export const groupsWithQuery = (contactId: string) =>
  queryOptions({
    queryKey: [...groupsQuery.queryKey, 'with', contactId],
    queryFn: ({ signal }) => api('GET /contacts/:contactId/groups', { params: { contactId }, signal }),
  })

/** The group as the server has it now, also for the list of groups. */
export async function fetchGroup(groupId: string): Promise<WholeGroup> {
  const policyGroup = await api('GET /policy-groups/:groupId', { params: { groupId } })
  queryClient.setQueryData(groupsQuery.queryKey, (groups) =>
    groups?.map((group) => (group.policyGroup.id === groupId ? { ...group, policyGroup } : group)),
  )
  return isComplete(policyGroup) ? wholeOf(policyGroup) : queryClient.fetchQuery(wholeGroupQuery(policyGroup))
}

/** Amounts are decimal USDC; null means no such limit. */
export type GroupInput = ApiCalls['POST /policy-groups']['body']
export const createGroup = (body: GroupInput, idempotencyKey: string) =>
  changed(api('POST /policy-groups', { body, idempotencyKey }))

/** Refused with field `version` if the group has changed since that version. */
export const updateGroup = (groupId: string, body: ApiCalls['PUT /policy-groups/:groupId']['body']) =>
  changed(api('PUT /policy-groups/:groupId', { params: { groupId }, body }))

/** Adds `amount` (decimal USDC) to the budget limit. Returns the new budget. */
export const topUpBudget = (groupId: string, amount: string, idempotencyKey: string) =>
  changed(api('POST /policy-groups/:groupId/top-up', { params: { groupId }, body: { amount }, idempotencyKey }))

type ReplayInput = ApiCalls['POST /policy-groups/:groupId/replay']['body']
export type Candidate = NonNullable<ReplayInput>['candidate']
/** What changed rules would have decided about the group's payments of the last 30 days. */
export const replayQuery = (groupId: string, candidate: Candidate) =>
  queryOptions({
    queryKey: [...groupsQuery.queryKey, 'replay', groupId, JSON.stringify(candidate)],
    queryFn: ({ signal }) =>
      api('POST /policy-groups/:groupId/replay', { params: { groupId }, body: { candidate, days: 30 }, signal }),
    staleTime: 60_000, // 1 minute
    retry: false,
  })

export type ContactMethods = ApiCalls['POST /policy-groups/:groupId/contacts/:contactId/confirm']['body']
/** Whitelists the contact as it was shown to the owner. Refused if it has changed since. */
/** An approver agrees to the rules that were shown. */
export const confirmRules = (groupId: string, version: number) =>
  changed(api('POST /policy-groups/:groupId/confirm', { params: { groupId }, body: { version } }))

export const confirmContact = (groupId: string, contactId: string, shown: ContactMethods) =>
  changed(
    api('POST /policy-groups/:groupId/contacts/:contactId/confirm', { params: { groupId, contactId }, body: shown }),
  )

/** Deletes the group together with its agents. */
export const deleteGroup = (groupId: string) =>
  changed(api('DELETE /policy-groups/:groupId/cascade', { params: { groupId } }))

export type { Agent, CreatedAgent, PaymentCheck }

export const createAgent = (body: ApiCalls['POST /agents']['body'], idempotencyKey: string) =>
  api('POST /agents', { body, idempotencyKey })

export const updateAgent = (agentId: string, body: ApiCalls['PUT /agents/:agentId']['body']) =>
  renamed(api('PUT /agents/:agentId', { params: { agentId }, body }))

export const deleteAgent = (agentId: string) => changed(api('DELETE /agents/:agentId', { params: { agentId } }))

/** The previous key keeps working for 24 hours unless `revokeNow`. */
export const regenerateApiKey = (agentId: string, revokeNow: boolean) =>
  changed(api('POST /agents/:agentId/regenerate-api-key', { params: { agentId }, body: { revokeNow } }))
/** The previous client secret keeps working for 24 hours unless `revokeNow`. */
export const regenerateSecret = (agentId: string, revokeNow: boolean) =>
  changed(api('POST /agents/:agentId/regenerate-credentials', { params: { agentId }, body: { revokeNow } }))

type CheckInput = ApiCalls['POST /agents/:agentId/check']['body']
export type PaymentRecipient = CheckInput['to']
/** Whether the rules would allow this payment now. Reserves nothing. */
export const checkPayment = (agentId: string, body: CheckInput) =>
  api('POST /agents/:agentId/check', { params: { agentId }, body })

/** Whether all agents of the account are paused. Refreshed together with the groups, since its key is below theirs. */
export const accountQuery = queryOptions({
  queryKey: [...groupsQuery.queryKey, 'account'],
  queryFn: ({ signal }) => api('GET /account', { signal }),
})

/** Something that can be paused; `name` is how a sentence refers to it. */
export type PauseSubject = { kind: 'agent' | 'group' | 'wallet' | 'account'; id: string; name: string }

/** Pauses or resumes; both take effect on the next call. */
export const setPaused = (subject: PauseSubject, paused: boolean): Promise<Paused> =>
  refreshing(async () => {
    // The list of wallets is fetched even if no page shows it: a dialog opened next chooses from it.
    const { queryKey } = walletsQuery
    await Promise.all([refreshGroups(), queryClient.invalidateQueries({ queryKey, refetchType: 'all' })])
  })(post(subject, paused ? 'pause' : 'resume'))

function post({ kind, id }: PauseSubject, act: 'pause' | 'resume'): Promise<Paused> {
  switch (kind) {
    case 'agent':
      return api(`POST /agents/:agentId/${act}`, { params: { agentId: id } })
    case 'group':
      return api(`POST /policy-groups/:groupId/${act}`, { params: { groupId: id } })
    case 'wallet':
      return api(`POST /wallets/:walletId/${act}`, { params: { walletId: id } })
    case 'account':
      return api(`POST /account/${act}`)
  }
}
