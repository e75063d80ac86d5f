import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { endedAtOnce } from '#domain/limits.ts'
import type { Change, EndedChanges } from '#schemas/change.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Change, EndedChanges }

const rootKey = ['changes'] as const

/** What was added in the last 30 days and still acts, newest first. */
export const madeQuery = queryOptions({
  queryKey: [...rootKey, 'made'],
  queryFn: ({ signal }) => api('GET /changes/made', { signal }),
  staleTime: 0,
})

/** Newest first, 50 at a time. */
export const changesQuery = infiniteQueryOptions({
  queryKey: [...rootKey, 'list'],
  queryFn: ({ pageParam, signal }) =>
    api('GET /changes', { query: pageParam === null ? {} : { before: pageParam }, signal }),
  initialPageParam: null as number | null,
  getNextPageParam: (page) => page.next,
  staleTime: 0,
})

/**
 * Ends what these changes made, as many in one call as it takes; if one fails, those before it have ended. Anything on screen
 * may have been theirs, so all of it is read again.
 */
export async function endChanges(ids: number[]): Promise<EndedChanges> {
  const ended: EndedChanges = { webhooks: 0, agents: 0, credentials: 0, connections: 0, permissions: 0, people: 0 }
  try {
    for (let i = 0; i < ids.length; i += endedAtOnce) {
      const more = await api('POST /changes/end', { body: { ids: ids.slice(i, i + endedAtOnce) } })
      for (const kind of Object.keys(ended) as (keyof EndedChanges)[]) ended[kind] += more[kind]
    }
  } finally {
    await queryClient.invalidateQueries()
  }
  return ended
}
