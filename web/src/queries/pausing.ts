import { queryOptions } from '@tanstack/react-query'
import type { Paused } from '#schemas/policy.ts'
import { api } from '../lib/api.ts'
import { groupsQuery, refreshGroups } from './policyGroups.ts'

/** Whether all agents of the account are paused. Refreshed together with the groups, since its key is below theirs. */
export const accountQuery = queryOptions({
  queryKey: [...groupsQuery.queryKey, 'account'],
  queryFn: ({ signal }) => api('GET /account', { signal }),
})

/** Something that can be paused; `name` is how a sentence refers to it. */
export type PauseSubject = { kind: 'agent' | 'group' | 'wallet' | 'account'; id: string; name: string }

/** Pauses or resumes; both take effect on the next call. */
export async function setPaused(subject: PauseSubject, paused: boolean): Promise<Paused> {
  const result = await post(subject, paused ? 'pause' : 'resume')
  await refreshGroups()
  return result
}

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
