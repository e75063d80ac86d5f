import { queryOptions } from '@tanstack/react-query'
import type { Preferences } from '../../../worker/schemas/preferences.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Preferences }

export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => api.get<Preferences>('/preferences', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Fields that are not named keep their values. */
export async function savePreferences(change: Preferences): Promise<void> {
  queryClient.setQueryData<Preferences>(preferencesQuery.queryKey, (before) => ({ ...before, ...change }))
  await api.put<null>('/preferences', change, { keepalive: true })
}
