import { queryOptions } from '@tanstack/react-query'
import type { Preferences } from '#schemas/preferences.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => api('GET /overview', { signal }),
})

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => api('GET /preferences', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Fields missing from `change` keep their values. */
export async function savePreferences(change: Preferences): Promise<void> {
  // Preferences that are not loaded stay so: a partial object would make the other fields look unset.
  queryClient.setQueryData(preferencesQuery.queryKey, (before) => before && { ...before, ...change })
  await api('PUT /preferences', { body: change, keepalive: true })
}
