import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { endedAtOnce } from '#domain/limits.ts'
import type { ApiCalls } from '#schemas/api.ts'
import type { Change, ChangeActor, EndedChanges, LogEnd } from '#schemas/change.ts'
import { api } from '../lib/api.ts'
import { apiFile } from '../lib/apiFile.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Change, ChangeActor, EndedChanges }

export type ChangesParams = NonNullable<ApiCalls['GET /changes/export']['query']>

/** Newest first, 50 at a time. The first page also says who is in the history. */
export const changesQuery = (params: ChangesParams) =>
  infiniteQueryOptions({
    queryKey: ['changes', params],
    queryFn: ({ pageParam, signal }) =>
      api('GET /changes', { query: { ...params, ...(pageParam !== null && { before: String(pageParam) }) }, signal }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Everybody in the history, for the filter by person. */
export const useActors = (): ChangeActor[] | undefined => useInfiniteQuery(changesQuery({})).data?.pages[0]?.actors

export const exportChanges = (query: ChangesParams) => apiFile('GET /changes/export', { query })

/** The whole audit log. A very long one comes in several files, each of which goes on where the one before it ends. */
export async function exportLog(): Promise<Blob> {
  const files: Blob[] = []
  for (let after: number | null = 0; after !== null; ) {
    const file: Blob = await apiFile('GET /audit/export', { query: { after: String(after) } })
    files.push(file)
    // Throws if it was cut: its last line is then a row, or a part of one.
    const lines = (await file.slice(-300).text()).trimEnd().split('\n')
    after = (JSON.parse(lines.at(-1)!) as LogEnd).end.next
  }
  return new Blob(files)
}

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
