import { queryOptions } from '@tanstack/react-query'
import type { Preferences } from '#schemas/preferences.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => api('GET /preferences', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Fields that `change` does not name keep their values. */
export async function savePreferences(change: Preferences): Promise<void> {
  // What is not known stays unknown: a field that is left out here would read as one that was never stored.
  queryClient.setQueryData(preferencesQuery.queryKey, (before) => before && { ...before, ...change })
  await api('PUT /preferences', { body: change, keepalive: true })
}
